"""Roofline, decided: which of two accelerators makes the cheaper token, with what is unknown of either."""

from mathcore import Decision, Example, Formula, Max, Range, Variable
from mathcore.chapters import hardware, models, roofline, serving
from mathcore.chapters.roofline import B, I, P, Q, W, b, measured, w
from mathcore.chapters.serving import FLOP, N, S, kappa
from mathcore.chapters.serving import practice as serving_practice
from mathcore.measured import PairedError

# --- symbols -------------------------------------------------------------------------------

r_c = Variable("r_c", "", "rent of an hour over that of the TPU v6e", tex=r"r_{\mathrm{c}}", low="0.01", high="100")
r_p = Variable("r_p", "", "rent of the TPU v5p over that of the TPU v6e", tex=r"r_{\mathrm{p}}", low="0.01", high="100")
x_b = Variable(
    "x_b",
    "",
    "share of its bandwidth that a chip attains, over that of the v6e",
    tex=r"x_{\mathrm{b}}",
    low="0.05",
    high="20",
)
x_p = Variable(
    "x_p",
    "",
    "share of its peak that a chip attains, over the v6e's share of its bandwidth",
    tex=r"x_{\mathrm{p}}",
    low="0.05",
    high="20",
)
g_b = Variable(
    "g_b", "", "share of the bandwidth on v5p over that on v6e", tex=r"g_{\mathrm{b}}", low="0.05", high="20"
)
g_p = Variable("g_p", "", "share of the peak on v5p over that on v6e", tex=r"g_{\mathrm{p}}", low="0.05", high="20")
y_0 = Variable(
    "y_0", "", "share of the peak over share of the bandwidth, on v6e", tex=r"y_{\mathrm{0}}", low="0.05", high="20"
)
y_q = Variable(
    "y_q", "", "prompt tokens read for each token of an answer", tex=r"y_{\mathrm{q}}", low="0", high="10000", zero=True
)
t_o = Variable(
    "t_o",
    "s",
    "chip time for each token of an answer, weighted by the rent",
    tex=r"t_{\mathrm{rent}}",
    display_unit="ms",
)
k_1 = Variable("k_1", "USD/h", "rent of the TPU v5p", tex=r"k_{\mathrm{v5p}}", low="0.01 USD/h", high="1000 USD/h")
k_2 = Variable("k_2", "USD/h", "rent of the TPU v6e", tex=r"k_{\mathrm{v6e}}", low="0.01 USD/h", high="1000 USD/h")
x_l = Variable("x_l", "", "one share over another", low="0.01", high="100")
x_1 = Variable("x_1", "", "a share", low="0.01", high="1")
x_2 = Variable("x_2", "", "another share", low="0.01", high="1")

# --- the cost of a token -------------------------------------------------------------------

step_work = Formula(
    W, 2 * FLOP * N * B, assumptions="a decode step of B tokens; attention, whose arithmetic never limits, left out"
)
step_traffic = Formula(Q, w * N + kappa * S * B, assumptions="weights once, and the KV cache of every request")
step_ceiling = Formula(
    I, 2 * FLOP * N / (kappa * S), assumptions="so many requests that the weights are a small part of the traffic"
)
weighed = Formula(
    t_o,
    r_c * (Max(W / (x_p * P), Q / (x_b * b)) / B + y_q * W / (B * x_p * P)),
    kind="model",
    assumptions=("a decode step of B tokens", "prompts long enough for arithmetic to limit"),
    convention="shares are relative to the share of the bandwidth that the v6e attains",
)
over = Formula(x_l, x_1 / x_2, kind="definition")
rents = Formula(r_p, k_1 / k_2, kind="definition")
rents_listed = Example(rents, {k_1: roofline.facts.rent_v5p, k_2: roofline.facts.rent_v6e})
bandwidth_apart = Example(over, {x_1: measured.share_mi300x, x_2: measured.share_h100}, digits=2)
bandwidth_beside = Example(over, {x_1: measured.share_h100, x_2: measured.share_mi300x}, digits=2)
peak_apart = Example(
    over, {x_1: measured.flash2.fitted_parameters["eta"], x_2: measured.flash3.fitted_parameters["eta"]}, digits=2
)
peak_beside = Example(
    over, {x_1: measured.flash3.fitted_parameters["eta"], x_2: measured.flash2.fitted_parameters["eta"]}, digits=2
)

step_limit = Example(
    step_ceiling, {N: models.llama31_70b_parameters, kappa: serving.cache_70b, S: "4096 token"}, digits=3
)

prefill_apart = Example(over, {x_1: serving_practice.u_fp8, x_2: measured.read_h100}, digits=2)
product_apart = Example(over, {x_1: measured.product.fitted_parameters["eta"], x_2: measured.read_h100}, digits=2)

chip = Decision(
    "Which accelerator decodes at the lower cost?",
    options={
        "chip": {
            "TPU v6e": {P: hardware.tpu_v6e_bf16, b: hardware.tpu_v6e_hbm_bandwidth, r_c: 1, x_b: 1, x_p: 1 * y_0},
            "TPU v5p": {
                P: hardware.tpu_v5p_bf16,
                b: hardware.tpu_v5p_hbm_bandwidth,
                r_c: 1 * r_p,
                x_b: 1 * g_b,
                x_p: y_0 * g_p,
            },
        }
    },
    given={N: models.llama31_70b_parameters, kappa: serving.cache_70b, W: step_work, Q: step_traffic, y_q: "0"},
    minimise=weighed,
    uncertain={
        B: Range("16", "512", value="64", source="assumed: batches of one server"),
        S: Range("512 token", "32768 token", value="4096 token", source="assumed: from short chats to long documents"),
        w: Range(
            "1 B",
            "2 B",
            value="2 B",
            source="from 8-bit weights with BF16 arithmetic to BF16",
            one_sided="weights have 16 bits at most",
        ),
        r_p: Range("1.25", "1.95", value=rents_listed, source="20 % off either list price"),
        g_b: Range(
            bandwidth_apart, bandwidth_beside, value="1", source="least and largest of four types of GPU, either way"
        ),
        y_0: Range(
            prefill_apart,
            "1.1",
            value=product_apart,
            source="from prompts of a server in FP8 to nearly the peak at 90 % of the bandwidth; today products on one H100",
        ),
        g_p: Range(peak_apart, peak_beside, value="1", source="two kernels for attention on one H100, either way"),
    },
    error=PairedError(measured.product, same=("k", "n")),
    proposed={"chip": "TPU v5p"},
    labels={
        B: "tokens at once",
        S: "tokens of a request in the cache",
        w: "bytes of a weight",
        r_p: "rent of v5p over v6e",
        g_b: "bandwidth attained, v5p over v6e",
        g_p: "peak attained, v5p over v6e",
        y_0: "peak attained over bandwidth attained, v6e",
        y_q: "prompt tokens per answer token",
        t_o: "chip time per token, weighted by the rent",
    },
    expects=[{"chip": "TPU v5p"}, {"chip": "TPU v6e"}],
)
with_prompts = chip.variant(
    question="Which accelerator is cheaper for workers that also read prompts?",
    uncertain={
        **chip.uncertain,
        y_q: Range(
            "1",
            "15",
            source="assumed: from most of a prompt in the cache to twice its length; today 3,840 tokens for 512 of answer",
        ),
    },
    given={**chip.given, y_q: "7.5"},
    proposed={"chip": "TPU v6e"},
    expects={"chip": "TPU v6e"},
)
