"""Lab on serving, decided: the batch of either context, with the prompts that a worker also reads."""

from mathcore import Decision
from mathcore.chapters.serving import S
from mathcore.chapters.serving.decisions import S_p, batch, t_slo


def batch_for(question, case):
    """Return the chapter's Decision on a batch as a Decision for another target and length, given in `case`."""
    shared = ("options", "minimise", "constraints", "uncertain", "error", "decides", "proposed", "columns", "labels")
    return Decision(
        question,
        **{name: getattr(batch, name) for name in shared},
        given={**batch.given, **case},
        samples=batch.samples,
        expects="tie",
    )


chat = batch_for("How many requests should the chat product serve at once, and how?", {t_slo: "25 ms"})
summaries = batch_for(
    "How many documents should be summarised at once overnight, and how?",
    {t_slo: "200 ms", S: "16384 token", S_p: "15872 token"},
)
