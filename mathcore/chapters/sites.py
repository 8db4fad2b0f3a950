"""Sites: grids, buildings, prices and reported runs. Dated inputs, not truths.

Every figure here depends on a place and a day: replace it by your own before you decide anything.
Grid intensities are location-based averages of generation over a year; prices are list prices.
A month of storage is written as a price per byte, with the month in `qualifier`.
"""

from mathcore import Fact

# --- grids: mass of CO2e for each unit of electricity --------------------------------------

EMBER = {"kind": "estimate", "source": "ember2024", "date": "2023", "certainty": "secondary"}
GRID = "life cycle, generation, average of the year, location-based"
grid_world = Fact("481 g/kWh", "carbon intensity of electricity, world", qualifier=GRID, **EMBER)
grid_norway = Fact("30 g/kWh", "carbon intensity of electricity, Norway", qualifier=GRID, **EMBER)
grid_sweden = Fact("40.7 g/kWh", "carbon intensity of electricity, Sweden", qualifier=GRID, **EMBER)
grid_france = Fact("56 g/kWh", "carbon intensity of electricity, France", qualifier=GRID, **EMBER)
grid_canada = Fact("170 g/kWh", "carbon intensity of electricity, Canada", qualifier=GRID, **EMBER)
grid_germany = Fact("381 g/kWh", "carbon intensity of electricity, Germany", qualifier=GRID, **EMBER)
grid_china = Fact("582 g/kWh", "carbon intensity of electricity, China", qualifier=GRID, **EMBER)
grid_poland = Fact("662 g/kWh", "carbon intensity of electricity, Poland", qualifier=GRID, **EMBER)
grid_india = Fact("713 g/kWh", "carbon intensity of electricity, India", qualifier=GRID, **EMBER)
grid_us = Fact(
    "369 g/kWh",
    "carbon intensity of electricity, United States",
    qualifier=GRID,
    **EMBER | {"certainty": "memory"},
)
PAGE = {"kind": "estimate", "source": "mlsysim_foundations", "date": "2026", "certainty": "primary-copy"}
PAGE_GRID = PAGE | {"at": "section 5.2", "qualifier": "no year and no method stated"}
page_quebec = Fact("20 g/kWh", "carbon intensity the reference page takes for Quebec", **PAGE_GRID)
page_us = Fact("429 g/kWh", "carbon intensity the reference page takes for the United States", **PAGE_GRID)
page_poland = Fact("820 g/kWh", "carbon intensity the reference page takes for Poland", **PAGE_GRID)

# --- buildings -----------------------------------------------------------------------------

FLEET = {"kind": "measurement", "certainty": "secondary", "qualifier": "average over a fleet, all year"}
pue_survey_2023 = Fact(
    "1.58",
    "facility energy over IT energy, average of a survey of operators",
    kind="estimate",
    source="uptime2023",
    date="2023",
    certainty="secondary",
    qualifier="each operator's largest site, unweighted",
)
pue_survey_2024 = Fact(
    "1.56",
    "facility energy over IT energy, average of a survey of operators",
    kind="estimate",
    source="uptime2024",
    date="2024",
    certainty="secondary",
    qualifier="each operator's largest site, unweighted",
)
pue_aws = Fact(
    "1.15", "facility energy over IT energy, Amazon", source="aws_sustainability", date="2024", **FLEET
)
pue_google = Fact("1.1", "facility energy over IT energy, Google", source="dcd2024", date="2024", **FLEET)
pue_meta = Fact("1.08", "facility energy over IT energy, Meta", source="dcd2024", date="2024", **FLEET)
pue_microsoft = Fact(
    "1.18", "facility energy over IT energy, Microsoft", source="dcd2024", date="2024", **FLEET
)
WATER = "water withdrawn on site over IT energy; the power plant's water is not in it"
wue_average = Fact(
    "1.8 L/kWh",
    "water over IT energy, average often quoted for the industry",
    kind="estimate",
    source="greenbiz2022",
    date="2022",
    certainty="secondary",
    qualifier=WATER,
)

# --- embodied carbon -----------------------------------------------------------------------

embodied_a100 = Fact(
    "318 kg/gpu",
    "mass of CO2e of making one A100 with its share of the server",
    kind="estimate",
    source="chien2023",
    date="2023",
    certainty="secondary",
    qualifier="an eighth of the server; no building, no network",
)
embodied_hgx_h100 = Fact(
    "1312 kg",
    "mass of CO2e of making one HGX H100 board of 8 GPUs",
    kind="estimate",
    source="nvidia_pcf",
    date="2025",
    certainty="memory",
    qualifier="cradle to gate; board of 8 GPUs without the server around it",
)

# --- accelerators, bought and rented -------------------------------------------------------

LAB = {
    "kind": "estimate",
    "source": "scale_illusion",
    "date": "2026",
    "certainty": "primary-copy",
    "at": "act II",
}
lab_rate = Fact("2.1 USD/(gpu h)", "on-demand price of the lab", qualifier="per GPU and hour used", **LAB)
lab_discount = Fact("35 %", "discount of the lab for a year's commitment", qualifier="used or not", **LAB)
lab_price = Fact("40000 USD/gpu", "purchase price of one H100 in the lab", qualifier="server included", **LAB)
lab_fleet = Fact("1000 gpu", "fleet of the lab", **LAB)
lab_horizon = Fact("3 year", "horizon of the lab", note="the lab counts 8,760 h a year", **LAB)
lab_year = Fact("8760 h", "year of the lab's tariff", qualifier="365 d, not the Julian year", **LAB)
lab_power_price = Fact("0.1 USD/kWh", "price of electricity in the lab", **LAB)
lab_staff = Fact("2000 USD/gpu/year", "staff of the lab", qualifier="one engineer for 100 GPUs", **LAB)
lab_pue = Fact("1.4", "facility energy over IT energy in the lab", **LAB)
lab_use = Fact("60 %", "utilisation with which the lab opens", **LAB)
lab_budget = Fact("50000000 USD", "budget of the lab", **LAB)
lab_idle = Fact(
    "350 W", "power of an idle H100 that the lab states", qualifier="per device, not measured", **LAB
)
SHOP = PAGE | {"at": "section 6"}
page_node = Fact("350000 USD", "purchase price of one node of 8 H100", qualifier="node, not GPU", **SHOP)
page_cloud_rate = Fact("4 USD/(gpu h)", "cloud price on the reference page", **SHOP)
page_owned_rate = Fact(
    "2.4 USD/(gpu h)", "owned price printed on the reference page", qualifier="at 80 % use", **SHOP
)
page_break_even = Fact("55 %", "break-even utilisation printed on the reference page", **SHOP)
page_at_20 = Fact("6 USD/(gpu h)", "owned price printed for 20 % use", **SHOP)
page_gain = Fact("6.3", "arithmetic of an H100 over that of an A100, as printed", **SHOP)
EC2 = {"kind": "datasheet", "source": "aws_ec2", "certainty": "secondary", "at": "us-east-1, Linux"}
p5_rate_2023 = Fact("98.32 USD/h", "p5.48xlarge on demand, 8 H100", date="2023-07", qualifier="server", **EC2)
p5_rate_2026 = Fact(
    "55.04 USD/h", "p5.48xlarge on demand, 8 H100", date="2026-07-28", qualifier="server", **EC2
)
p4d_rate_2023 = Fact("32.77 USD/h", "p4d.24xlarge on demand, 8 A100", date="2023", qualifier="server", **EC2)
p4d_rate_2026 = Fact(
    "21.957642 USD/h", "p4d.24xlarge on demand, 8 A100", date="2026-07-28", qualifier="server", **EC2
)
BOOK = {"kind": "estimate", "source": "crash_proofing", "date": "2026", "certainty": "primary-copy"}
spot_low = Fact(
    "10 USD/h", "p4d.24xlarge on the spot market, low end", at="section 9.3.3", qualifier="server", **BOOK
)
spot_high = Fact(
    "15 USD/h", "p4d.24xlarge on the spot market, high end", at="section 9.3.3", qualifier="server", **BOOK
)
spot_notice = Fact(
    "2 min",
    "notice before an EC2 spot instance is taken back",
    kind="convention",
    source="aws_spot",
    date="2026",
    certainty="secondary",
)

# --- storage: price of a month -------------------------------------------------------------

S3 = {"kind": "datasheet", "source": "aws_s3", "certainty": "secondary", "at": "us-east-1"}
MONTH = "for one month; Amazon's GB is a GiB"
s3_standard = Fact("0.023 USD/GiB", "S3 Standard", date="2026-04", qualifier=MONTH, **S3)
s3_archive = Fact(
    "0.004 USD/GiB", "S3 Glacier Instant Retrieval", date="2026-04", qualifier=f"{MONTH}; 90 d at least", **S3
)
s3_express = Fact(
    "0.11 USD/GiB",
    "S3 Express One Zone",
    date="2025",
    qualifier=MONTH,
    at="FAQ, example 2",
    **{k: v for k, v in S3.items() if k != "at"},
)
replication = Fact(
    "0.02 USD/GiB",
    "copy from one region to another",
    date="2026",
    qualifier="once, for each byte moved",
    **S3,
)
book_efs = Fact("0.3 USD/GB", "EFS", at="section 9.3.2", qualifier="for one month", **BOOK)
lustre_size = Fact("7200 GB", "file system of the example", at="section 9.3.2", **BOOK)
lustre_rate = Fact(
    "250 MB/s/TB",
    "throughput of the example for each TB of it",
    at="section 9.3.2",
    qualifier="read and write",
    **BOOK,
)
month = Fact(
    "730.5 h",
    "month of this book, a twelfth of the Julian year",
    kind="convention",
    source="iau_units",
    date="1988",
)

# --- runs as reported ----------------------------------------------------------------------

PATTERSON = {
    "kind": "paper",
    "source": "patterson2021",
    "date": "2021",
    "at": "Table 4",
    "certainty": "secondary",
}
t5_energy = Fact("85.7 MWh", "energy of T5's training", qualifier="with the facility", **PATTERSON)
t5_intensity = Fact(
    "545 g/kWh",
    "intensity of T5's site",
    qualifier="net, location and hour",
    **PATTERSON | {"certainty": "memory"},
)
t5_carbon = Fact("46.7 t", "CO2e of T5's training", **PATTERSON)
gpt3_energy = Fact("1287 MWh", "energy of GPT-3's training", qualifier="with the facility", **PATTERSON)
gpt3_power = Fact(
    "330 W",
    "mean power of one V100 in GPT-3's training",
    qualifier="with its share of the server",
    **PATTERSON,
)
gpt3_intensity = Fact(
    "429 g/kWh", "intensity of GPT-3's site", qualifier="average of the United States", **PATTERSON
)
gpt3_carbon = Fact("552 t", "CO2e of GPT-3's training", **PATTERSON)
gpt3_pue = Fact("1.1", "facility energy over IT energy of GPT-3's site", **PATTERSON)
gpt3_devices = Fact("10000 gpu", "V100 of GPT-3's training", **PATTERSON)
gpt3_days = Fact("14.8 d", "days of GPT-3's training", **PATTERSON)
BLOOM = {"kind": "paper", "source": "luccioni2023", "date": "2023", "certainty": "secondary"}
bloom_hours = Fact("1082990 gpu h", "device-hours of BLOOM's final training", **BLOOM)
bloom_power = Fact("400 W", "power taken for each A100 of BLOOM", qualifier="TDP, not a measurement", **BLOOM)
bloom_energy = Fact(
    "433196 kWh", "energy of BLOOM's final training", qualifier="devices alone, no PUE", **BLOOM
)
bloom_intensity = Fact("57 g/kWh", "intensity of BLOOM's site", qualifier="France", **BLOOM)
bloom_carbon = Fact("24.69 t", "CO2e of BLOOM's energy under load", **BLOOM)
bloom_idle_energy = Fact("256646 kWh", "energy of BLOOM's idle nodes and network", **BLOOM)
bloom_idle_carbon = Fact("14.6 t", "CO2e of BLOOM's idle energy", **BLOOM)
bloom_embodied = Fact("11.2 t", "CO2e of making BLOOM's hardware, its share", **BLOOM)
bloom_total = Fact("50.5 t", "CO2e of BLOOM in all", qualifier="dynamic, idle and embodied", **BLOOM)
PALM = {"kind": "paper", "source": "palm2022", "date": "2022", "certainty": "secondary", "at": "appendix B"}
palm_hours = Fact("8404992 gpu h", "chip-hours of PaLM's training", qualifier="TPU v4 chips", **PALM)
palm_power = Fact(
    "378.5 W", "mean power of one TPU v4 of PaLM", qualifier="with its share of the host", **PALM
)
palm_pue = Fact("1.08", "facility energy over IT energy of PaLM's site", **PALM)
palm_intensity = Fact("79 g/kWh", "intensity of PaLM's site", **PALM)
palm_carbon = Fact("271.43 t", "CO2e of PaLM's training", **PALM | {"certainty": "memory"})
LLAMA1 = {
    "kind": "paper",
    "source": "llama2023",
    "date": "2023",
    "at": "Table 15",
    "certainty": "primary-copy",
}
llama_hours = Fact("1022362 gpu h", "device-hours of LLaMA 65B", **LLAMA1)
llama_power = Fact(
    "400 W", "power taken for each A100 of LLaMA", qualifier="TDP, not a measurement", **LLAMA1
)
llama_pue = Fact("1.1", "facility energy over IT energy taken for LLaMA", **LLAMA1)
llama_intensity = Fact(
    "385 g/kWh", "intensity taken for LLaMA", qualifier="average of the United States", **LLAMA1
)
llama_energy = Fact("449 MWh", "energy of LLaMA 65B", **LLAMA1)
llama_carbon = Fact("173 t", "CO2e of LLaMA 65B", **LLAMA1)
CARD = {"kind": "paper", "source": "llama31_card", "date": "2024", "certainty": "primary-copy"}
llama31_hours = Fact("7000000 gpu h", "device-hours of Llama 3.1 70B", **CARD)
llama31_carbon = Fact("2040 t", "CO2e of Llama 3.1 70B", qualifier="location-based", **CARD)
llama31_all = Fact("11390 t", "CO2e of the three Llama 3.1 models", qualifier="location-based", **CARD)
llama31_market = Fact(
    "0 t", "CO2e of the three Llama 3.1 models", qualifier="market-based: certificates bought", **CARD
)
STARCODER = {"kind": "paper", "source": "starcoder2023", "date": "2023", "certainty": "secondary"}
starcoder_hours = Fact("320256 gpu h", "device-hours of StarCoder", **STARCODER)
starcoder_power = Fact(
    "280 W", "power taken for each A100 of StarCoder", qualifier="average, assumed", **STARCODER
)
starcoder_energy = Fact("89671.68 kWh", "energy of StarCoder", qualifier="devices alone, no PUE", **STARCODER)
OLMO = {"kind": "paper", "source": "olmo2", "date": "2025", "certainty": "secondary"}
MORRISON = {"kind": "paper", "source": "morrison2025", "date": "2025", "certainty": "secondary"}
olmo7_energy = Fact(
    "131 MWh", "energy of OLMo 2 7B", qualifier="before or after PUE: the two reports differ", **OLMO
)
olmo7_pue = Fact("1.2", "facility energy over IT energy taken for OLMo 2 7B", **OLMO)
olmo7_second = Fact("157 MWh", "energy of OLMo 2 7B in the second report", **MORRISON)
olmo13_energy = Fact(
    "257 MWh", "energy of OLMo 2 13B", qualifier="before or after PUE: the two reports differ", **OLMO
)
olmo13_pue = Fact("1.12", "facility energy over IT energy taken for OLMo 2 13B", **OLMO)
olmo13_second = Fact("230 MWh", "energy of OLMo 2 13B in the second report", **MORRISON)
# 131 MWh times 1.2 is 157 MWh, but 257 MWh over 1.12 is 230 MWh: the two reports agree only if one of
# them counts the building for one model and not for the other.
