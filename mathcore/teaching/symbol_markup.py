"""A symbol's LaTeX as HTML and as plain text, for controls and lines that no mathematics renderer sets."""

import re

from sympy.printing.pretty.pretty_symbology import greek_unicode

SLANTED = {name: symbol for name, symbol in greek_unicode.items() if name.islower()}
SLANTED |= {"varphi": "φ", "varepsilon": "ε", "ell": "ℓ"}
UPRIGHT = {name: symbol for name, symbol in greek_unicode.items() if name.istitle()}
UPRIGHT |= {"ast": "*", "infty": "∞", "times": "×", ",": "", "%": "%"}
UPRIGHT |= {"lVert": "‖", "rVert": "‖", "langle": "⟨", "rangle": "⟩"}
ACCENTS = {"bar": "\u0304", "overline": "\u0304", "dot": "\u0307"}
LOW = {"_": "sub", "^": "sup"}
_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)|.", re.DOTALL)


def symbol_html(tex: str) -> str:
    r"""Return a symbol's LaTeX as HTML, with its indices set low and its powers high.

    >>> symbol_html(r"\tau_{\mathrm{Y}}"), symbol_html(r"B^{*}"), symbol_html(r"\mathrm{PUE}")
    ('<i>τ</i><sub>Y</sub>', '<i>B</i><sup>*</sup>', 'PUE')
    """
    tokens, html = [t for t in _TOKEN.findall(tex) if not t.isspace()], ""
    while tokens:
        token = tokens.pop(0)
        if token in LOW:
            html += f"<{LOW[token]}>{symbol_html(_argument(tokens))}</{LOW[token]}>"
        else:
            html += _one(token, tokens)
    return html


def _argument(tokens: list[str]) -> str:
    """Take what a command applies to off the tokens: the text in braces, or one token."""
    taken = [tokens.pop(0)]
    while taken.count("{") > taken.count("}"):
        taken.append(tokens.pop(0))
    return "".join(taken[1:-1] if taken[0] == "{" else taken)


def _one(token: str, tokens: list[str]) -> str:
    name = token.removeprefix("\\")
    if name in ("mathrm", "operatorname"):
        return re.sub(r"</?i>", "", symbol_html(_argument(tokens)))
    if name in ACCENTS:
        return symbol_html(_argument(tokens)).replace("</i>", f"{ACCENTS[name]}</i>")
    if name in SLANTED or (token == name and name.isalpha()):
        return f"<i>{SLANTED.get(name, name)}</i>"
    return UPRIGHT.get(name, name) if token != name else "′" if name == "'" else name


def symbol_text(tex: str) -> str:
    r"""Return a symbol's LaTeX as plain text.

    >>> symbol_text(r"\tau_{\mathrm{Y}}"), symbol_text(r"B^{*}")
    ('τ_Y', 'B*')
    """
    return re.sub(r"<[^>]*>", "", symbol_html(tex).replace("<sub>", "_"))
