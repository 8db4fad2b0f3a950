"""Hardware: what accelerators and links can do, each figure with all that it could be mixed up with.

A name is `device_what`: `h100_bf16` is the dense BF16 peak of the SXM module, `h100_hbm` its memory.
Arithmetic peaks are dense and per device, link rates are for one direction, memory is what software sees
unless `qualifier` says raw. Data sheets like the other choice: with sparsity, and both directions added.
"""

from mathcore import Fact

# --- where the figures stand ---------------------------------------------------------------

SHEET = {"kind": "datasheet", "certainty": "secondary"}  # read in documents that quote the data sheet
MEMORY = {"certainty": "memory"}
A100 = SHEET | {"source": "nvidia_a100", "date": "2021"}
H100 = SHEET | {"source": "nvidia_h100", "date": "2022"}
H200 = SHEET | {"source": "nvidia_h200", "date": "2024"}
BLACKWELL = SHEET | {"source": "nvidia_blackwell", "date": "2024"}
GB200 = SHEET | {"source": "nvidia_gb200", "date": "2024"}
B300 = SHEET | {"source": "nvidia_b300", "date": "2025"}
MI300X = SHEET | {"source": "amd_mi300x", "date": "2023"}
MI325X = SHEET | {"source": "amd_mi325x", "date": "2024"}
MI355X = SHEET | {"source": "amd_mi355x", "date": "2025"}
TPU = {"kind": "datasheet", "source": "google_tpu", "date": "2026", "certainty": "primary-copy"}
BOOK = {"kind": "datasheet", "source": "bekman2026", "date": "2026", "certainty": "secondary"}
MATMUL = BOOK | {"kind": "measurement", "certainty": "primary-copy", "at": "compute/accelerator, MAMF table"}
PARTS = BOOK | {"at": "compute/accelerator, theoretical TFLOPS table"}
PORT = {"kind": "convention", "source": "ibta_roadmap", "date": "2026", "certainty": "secondary"}

BF16 = "dense, BF16, per device"
FP8 = "dense, FP8, per device"
SPARSE = "with 2:4 structured sparsity, per device: twice the dense rate"
ONE_WAY = "per device and direction; the data sheet adds both directions"
VISIBLE = "decimal gigabytes, per device"
PEAK_READ = "peak, per device"
MODULE = "limit of the module, not a measurement"

# --- NVIDIA A100, SXM, 80 GB ---------------------------------------------------------------

a100_bf16 = Fact("312 TFLOP/s", "arithmetic peak of the A100 SXM in BF16", qualifier=BF16, **A100)
a100_hbm = Fact("80 GB", "memory of the A100 SXM 80 GB", qualifier=VISIBLE, **A100)
a100_hbm_bandwidth = Fact(
    "2039 GB/s",
    "memory bandwidth of the A100 SXM 80 GB",
    qualifier="peak; the 40 GB module has 1555",
    **A100 | MEMORY,
)
a100_tdp = Fact("400 W", "power limit of the A100 SXM", qualifier=MODULE, **A100)

# --- NVIDIA H100 and H200, SXM -------------------------------------------------------------

h100_bf16 = Fact("989.4 TFLOP/s", "arithmetic peak of the H100 SXM in BF16", qualifier=BF16, **H100)
h100_bf16_sparse = Fact(
    "1979 TFLOP/s", "figure of the H100 SXM data sheet for BF16", qualifier=SPARSE, **H100
)
h100_fp8 = Fact("1978.9 TFLOP/s", "arithmetic peak of the H100 SXM in FP8", qualifier=FP8, **H100)
h100_hbm = Fact("80 GB", "memory of the H100 SXM", qualifier=VISIBLE, **H100)
h100_hbm_bandwidth = Fact("3350 GB/s", "memory bandwidth of the H100 SXM", qualifier=PEAK_READ, **H100)
h100_nvlink = Fact("450 GB/s", "NVLink 4 of the H100 SXM, 18 links", qualifier=ONE_WAY, **H100)
h100_tdp = Fact("700 W", "power limit of the H100 SXM", qualifier=MODULE, **H100)
h200_bf16 = Fact("989.4 TFLOP/s", "arithmetic peak of the H200 SXM in BF16", qualifier=BF16, **H200)
h200_fp8 = Fact("1978.9 TFLOP/s", "arithmetic peak of the H200 SXM in FP8", qualifier=FP8, **H200)
h200_hbm = Fact("141 GB", "memory of the H200 SXM", qualifier=VISIBLE, **H200)
h200_hbm_bandwidth = Fact("4800 GB/s", "memory bandwidth of the H200 SXM", qualifier=PEAK_READ, **H200)
h200_tdp = Fact("700 W", "power limit of the H200 SXM", qualifier=MODULE, **H200 | MEMORY)

# --- NVIDIA Blackwell ----------------------------------------------------------------------

b200_bf16 = Fact(
    "2250 TFLOP/s", "arithmetic peak of the B200 SXM in BF16", qualifier=f"{BF16}, at 1,000 W", **BLACKWELL
)
b200_fp8 = Fact(
    "4500 TFLOP/s", "arithmetic peak of the B200 SXM in FP8", qualifier=f"{FP8}, at 1,000 W", **BLACKWELL
)
b200_hbm = Fact(
    "180 GB", "memory of the B200 SXM that software sees", qualifier="usable, decimal gigabytes", **BLACKWELL
)
b200_hbm_bandwidth = Fact("8000 GB/s", "memory bandwidth of the B200 SXM", qualifier=PEAK_READ, **BLACKWELL)
b200_nvlink = Fact("900 GB/s", "NVLink 5 of the B200 SXM, 18 links", qualifier=ONE_WAY, **BLACKWELL)
b200_tdp = Fact("1000 W", "power limit of the B200 SXM", qualifier=MODULE, **BLACKWELL)
gb200_bf16 = Fact(
    "2500 TFLOP/s", "arithmetic peak of one GPU of a GB200 in BF16", qualifier=f"{BF16}, at 1,200 W", **GB200
)
gb200_fp8 = Fact(
    "5000 TFLOP/s", "arithmetic peak of one GPU of a GB200 in FP8", qualifier=f"{FP8}, at 1,200 W", **GB200
)
gb200_hbm_bandwidth = Fact(
    "8000 GB/s", "memory bandwidth of one GPU of a GB200", qualifier="peak, per GPU", **GB200
)
gb200_tdp = Fact(
    "1200 W", "power limit of one GPU of a GB200", qualifier=f"{MODULE}, without the CPU", **GB200
)
b300_bf16 = Fact("2250 TFLOP/s", "arithmetic peak of the B300 SXM in BF16", qualifier=BF16, **B300)
b300_fp8 = Fact("4500 TFLOP/s", "arithmetic peak of the B300 SXM in FP8", qualifier=FP8, **B300)
b300_hbm_bandwidth = Fact("8000 GB/s", "memory bandwidth of the B300 SXM", qualifier=PEAK_READ, **B300)
b300_tdp = Fact(
    "1400 W",
    "power limit of a Blackwell Ultra GPU",
    qualifier="liquid-cooled GB300; air-cooled boards run lower",
    **B300 | MEMORY,
)

# --- AMD -----------------------------------------------------------------------------------

mi300x_bf16 = Fact("1307.4 TFLOP/s", "arithmetic peak of the MI300X in BF16", qualifier=BF16, **MI300X)
mi300x_fp8 = Fact("2614.9 TFLOP/s", "arithmetic peak of the MI300X in FP8", qualifier=FP8, **MI300X)
mi300x_hbm = Fact("192 GB", "memory of the MI300X", qualifier=VISIBLE, **MI300X)
mi300x_hbm_bandwidth = Fact("5300 GB/s", "memory bandwidth of the MI300X", qualifier=PEAK_READ, **MI300X)
mi300x_tdp = Fact("750 W", "board power of the MI300X", qualifier=MODULE, **MI300X)
mi325x_bf16 = Fact("1307.4 TFLOP/s", "arithmetic peak of the MI325X in BF16", qualifier=BF16, **MI325X)
mi325x_fp8 = Fact("2614.9 TFLOP/s", "arithmetic peak of the MI325X in FP8", qualifier=FP8, **MI325X)
mi325x_hbm_bandwidth = Fact("6000 GB/s", "memory bandwidth of the MI325X", qualifier=PEAK_READ, **MI325X)
mi325x_tdp = Fact("1000 W", "board power of the MI325X", qualifier=MODULE, **MI325X | MEMORY)
mi355x_bf16 = Fact("2500 TFLOP/s", "arithmetic peak of the MI355X in BF16", qualifier=BF16, **MI355X)

# --- Google TPU ----------------------------------------------------------------------------
# Google prints ICI rates per chip with all ports and both directions added; power is not published.

tpu_v5e_bf16 = Fact("197 TFLOP/s", "arithmetic peak of a TPU v5e chip in BF16", qualifier=BF16, **TPU)
tpu_v5e_int8 = Fact(
    "393 TFLOP/s", "arithmetic peak of a TPU v5e chip in INT8", qualifier="dense, integer operations", **TPU
)
tpu_v5e_hbm = Fact("16 GB", "memory of a TPU v5e chip", qualifier=VISIBLE, **TPU)
tpu_v5e_hbm_bandwidth = Fact("819 GB/s", "memory bandwidth of a TPU v5e chip", qualifier=PEAK_READ, **TPU)
tpu_v5p_bf16 = Fact("459 TFLOP/s", "arithmetic peak of a TPU v5p chip in BF16", qualifier=BF16, **TPU)
tpu_v5p_int8 = Fact(
    "918 TFLOP/s", "arithmetic peak of a TPU v5p chip in INT8", qualifier="dense, integer operations", **TPU
)
tpu_v5p_hbm_bandwidth = Fact("2765 GB/s", "memory bandwidth of a TPU v5p chip", qualifier=PEAK_READ, **TPU)
tpu_v6e_bf16 = Fact("918 TFLOP/s", "arithmetic peak of a TPU v6e chip in BF16", qualifier=BF16, **TPU)
tpu_v6e_int8 = Fact(
    "1836 TFLOP/s", "arithmetic peak of a TPU v6e chip in INT8", qualifier="dense, integer operations", **TPU
)
tpu_v6e_hbm_bandwidth = Fact("1638 GB/s", "memory bandwidth of a TPU v6e chip", qualifier=PEAK_READ, **TPU)

# --- what a peak is made of: clock, multiply-adds per clock and unit, units ----------------

fma_work = Fact(
    "2 FLOP", "operations in one fused multiply-add", kind="convention", source="bekman2026", date="2026"
)
a100_clock = Fact("1.41e9 /s", "boost clock of the A100 SXM", **PARTS)
a100_fma = Fact("256", "BF16 multiply-adds per clock and tensor core of the A100", qualifier="dense", **PARTS)
a100_units = Fact("432", "tensor cores of the A100 SXM", **PARTS)
h100_clock = Fact(
    "1.83e9 /s",
    "clock of the H100 SXM with busy tensor cores",
    qualifier="not the boost clock of 1.98 GHz",
    **PARTS,
)
h100_fma = Fact("512", "BF16 multiply-adds per clock and tensor core of the H100", qualifier="dense", **PARTS)
h100_units = Fact("528", "tensor cores of the H100 SXM", qualifier="SXM; the PCIe card has fewer", **PARTS)
mi300x_clock = Fact("2.1e9 /s", "peak engine clock of the MI300X", **PARTS)
mi300x_fma = Fact(
    "256", "BF16 multiply-adds per clock and matrix core of the MI300X", qualifier="dense", **PARTS
)
mi300x_units = Fact("1216", "matrix cores of the MI300X", **PARTS)
mi355x_clock = Fact("2.4e9 /s", "peak engine clock of the MI355X", **PARTS)
mi355x_fma = Fact(
    "512", "BF16 multiply-adds per clock and matrix core of the MI355X", qualifier="dense", **PARTS
)
mi355x_units = Fact("1024", "matrix cores of the MI355X", **PARTS)
gaudi3_clock = Fact("1.6e9 /s", "clock of the Gaudi 3 matrix engines", **PARTS)
gaudi3_fma = Fact(
    "65536", "BF16 multiply-adds per clock and engine of the Gaudi 3", qualifier="dense", **PARTS
)
gaudi3_units = Fact("8", "matrix engines of the Gaudi 3", **PARTS)

# --- what a large matrix product attains ---------------------------------------------------

BEST = "best of many shapes, BF16, per device"
a100_matmul = Fact("271.2 TFLOP/s", "fastest matrix product found on an A100 SXM", qualifier=BEST, **MATMUL)
h100_matmul = Fact("794.5 TFLOP/s", "fastest matrix product found on an H100 SXM", qualifier=BEST, **MATMUL)
b200_matmul = Fact("1745 TFLOP/s", "fastest matrix product found on a B200 SXM", qualifier=BEST, **MATMUL)
mi300x_matmul = Fact("668.4 TFLOP/s", "fastest matrix product found on an MI300X", qualifier=BEST, **MATMUL)

# --- links ---------------------------------------------------------------------------------

LINKS = BOOK | {"at": "network, NVLink table"}
nvlink5_lane = Fact("25 GB/s", "one lane of NVLink 5", qualifier="per direction, payload", **LINKS)
nvlink5_lanes = Fact("2", "lanes of one NVLink 5 link", qualifier="per direction", **LINKS)
nvlink5_links = Fact("18", "NVLink 5 links of one device", **LINKS)
xgmi_link = Fact(
    "64 GB/s", "one Infinity Fabric link of the MI300X", qualifier="per direction, to one peer", **BOOK
)
xgmi_links = Fact(
    "7", "Infinity Fabric links of the MI300X", qualifier="one to each peer of the board", **BOOK
)
X16 = BOOK | {"at": "network, PCIe table", "qualifier": "16 lanes, per direction, payload"}
pcie5 = Fact("63 GB/s", "PCI Express 5 slot", **X16)
ib_lanes = Fact("4", "lanes of an InfiniBand port", qualifier="the usual 4x port", **PORT)
edr_lane = Fact("25 Gbit/s", "one lane of InfiniBand EDR", qualifier="per direction", **PORT)
hdr_lane = Fact("50 Gbit/s", "one lane of InfiniBand HDR", qualifier="per direction", **PORT)
ndr_lane = Fact("100 Gbit/s", "one lane of InfiniBand NDR", qualifier="per direction", **PORT)
xdr_lane = Fact("200 Gbit/s", "one lane of InfiniBand XDR", qualifier="per direction", **PORT)
edr_port = Fact("100 Gbit/s", "InfiniBand EDR port, 4 lanes", qualifier="per direction", **PORT)
hdr_port = Fact("200 Gbit/s", "InfiniBand HDR port, 4 lanes", qualifier="per direction", **PORT)
ndr_port = Fact("400 Gbit/s", "InfiniBand NDR port, 4 lanes", qualifier="per direction", **PORT)
xdr_port = Fact("800 Gbit/s", "InfiniBand XDR port, 4 lanes", qualifier="per direction", **PORT)

# --- energy of one operation and of one byte -----------------------------------------------

HOROWITZ = {
    "kind": "paper",
    "source": "horowitz2014",
    "date": "2014",
    "certainty": "memory",
    "at": "Fig. 1.1.9",
}
fp16_multiply = Fact(
    "1.1 pJ", "energy of one FP16 multiplication", qualifier="45 nm, 0.9 V, logic alone", **HOROWITZ
)
fp16_add = Fact("0.4 pJ", "energy of one FP16 addition", qualifier="45 nm, 0.9 V, logic alone", **HOROWITZ)
hbm2_bit = Fact(
    "3.92 pJ/bit",
    "energy to read one bit from HBM2",
    kind="paper",
    source="oconnor2017",
    date="2017",
    certainty="memory",
    qualifier="device and interface, per bit and not per byte",
)

# --- whole servers -------------------------------------------------------------------------

dgx_a100_power = Fact(
    "6.5 kW", "largest power of a DGX A100", qualifier="8 GPUs and all the rest", **A100 | MEMORY
)
dgx_h100_power = Fact(
    "10.2 kW", "largest power of a DGX H100", qualifier="8 GPUs and all the rest", **H100 | MEMORY
)
dgx_b200_power = Fact(
    "14.3 kW", "largest power of a DGX B200", qualifier="8 GPUs and all the rest", **BLACKWELL | MEMORY
)
server_gpus = Fact("8 gpu", "GPUs of one SXM server", kind="convention", source="nvidia_h100", date="2022")
