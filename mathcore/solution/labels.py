"""What pages call an option: the settings of its levers, as far as they vary."""

import functools
from typing import TYPE_CHECKING

from mathcore.option_space import DecisionOption, Settings
from mathcore.symbols import Variable

if TYPE_CHECKING:
    from mathcore.decisions import Decision


class OptionLabels:
    """The labels of the options of a decision."""

    def __init__(self, decision: "Decision") -> None:
        self.decision = decision
        self.usual = Settings(decision.usual)

    @functools.cached_property
    def varying(self) -> set[str]:
        """Return the names of the levers that have more than one setting."""
        first: dict[str, object] = {}
        varying: set[str] = set()
        for option in self.decision.space:
            for name, value in option.levers.items():
                if name not in varying and first.setdefault(name, value) != value:
                    varying.add(name)
        return varying

    def of_option(self, option: DecisionOption) -> str:
        """Return the label `TP=2, PP=8, full recomputation`; settings that never vary and usual ones are left out."""
        names = [name for name in option.levers if name in self.varying and not self.usual.has(option, name)]
        return ", ".join(filter(None, (self._setting(option, name) for name in names))) or "the usual setting"

    def relative(self, option: DecisionOption, base: DecisionOption) -> str:
        """Return the settings in which an option differs from another one, after `…` for those that both share."""
        own, other = ({name: self._setting(each, name) for name in each.levers} for each in (option, base))
        shared = {name for name in own if own[name] == other.get(name)}
        differing = [text for name, text in own.items() if text and name not in shared]
        stated = (name for name in shared & self.varying if own[name] and not self.usual.has(option, name))
        return f"… {', '.join(differing)}" if differing and any(stated) else self.of_option(option)

    def of_group(self, option: DecisionOption) -> str:
        """Return the label of all options that agree with this one in the levers that the decision decides."""
        decided = self.decision.decided_levers
        levers = {name: value for name, value in option.levers.items() if not decided or name in decided}
        return self.of_option(DecisionOption(levers, option.numbers, option.formulas))

    def _setting(self, option: DecisionOption, name: str) -> str:
        value, symbol = option.levers[name], option.symbol_named(name)
        if symbol is None or isinstance(value, str):
            return self.decision.label_of(str(value))
        label, text = self.decision.label_of(name), self.decision.quantity_text(symbol, value, None)
        if not label:
            return ""
        sign = " " if symbol.display_unit else "="
        return label.format(text) if "{}" in label else f"{label}{sign}{text}"

    def scale_of(self, option: DecisionOption) -> Variable | None:
        """Return the symbol of the only lever that varies, if it has one in this option."""
        if len(self.varying) > 1:
            return None
        return next((symbol for symbol in option.numbers if symbol.name in self.varying), None)
