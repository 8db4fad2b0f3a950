"""HTML and plain text of LaTeX, for labels and sentences that no mathematics renderer typesets."""

import re

from sympy.printing.pretty.pretty_symbology import greek_unicode

SLANTED = {name: symbol for name, symbol in greek_unicode.items() if name.islower()}
SLANTED |= {"varphi": "φ", "varepsilon": "ε", "ell": "ℓ"}
UPRIGHT = {name: symbol for name, symbol in greek_unicode.items() if name.istitle()}
UPRIGHT |= {"ast": "*", "infty": "∞", "times": "×", ",": "", "%": "%"}
UPRIGHT |= {"lVert": "‖", "rVert": "‖", "langle": "⟨", "rangle": "⟩"}
ACCENTS = {"bar": "\u0304", "overline": "\u0304", "dot": "\u0307"}
SCRIPTS = {"_": "sub", "^": "sup"}
TAG = re.compile(r"<[^>]*>")
_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)|.", re.DOTALL)


def symbol_html(tex: str) -> str:
    r"""Return the HTML of a symbol's LaTeX, with `sub` and `sup` elements for indices and powers.

    >>> symbol_html(r"\tau_{\mathrm{Y}}"), symbol_html(r"B^{*}"), symbol_html(r"\mathrm{PUE}")
    ('<i>τ</i><sub>Y</sub>', '<i>B</i><sup>*</sup>', 'PUE')
    """
    tokens, html = [t for t in _TOKEN.findall(tex) if not t.isspace()], ""
    while tokens:
        token = tokens.pop(0)
        if token in SCRIPTS:
            html += f"<{SCRIPTS[token]}>{symbol_html(_argument(tokens))}</{SCRIPTS[token]}>"
        else:
            html += _token_html(token, tokens)
    return html


def _argument(tokens: list[str]) -> str:
    """Remove the argument of a command from the front of `tokens` and return its text, without braces."""
    taken = [tokens.pop(0)]
    while taken.count("{") > taken.count("}"):
        taken.append(tokens.pop(0))
    return "".join(taken[1:-1] if taken[0] == "{" else taken)


def _token_html(token: str, tokens: list[str]) -> str:
    """Return the HTML of a token, whose argument is removed from `tokens` if it is a command that has one."""
    name = token.removeprefix("\\")
    if name in ("mathrm", "operatorname"):
        return re.sub(r"</?i>", "", symbol_html(_argument(tokens)))
    if name in ACCENTS:
        return symbol_html(_argument(tokens)).replace("</i>", f"{ACCENTS[name]}</i>")
    if name in SLANTED or (token == name and name.isalpha()):
        return f"<i>{SLANTED.get(name, name)}</i>"
    return UPRIGHT.get(name, name) if token != name else "′" if name == "'" else name


def symbol_text(tex: str) -> str:
    r"""Return the plain text of a symbol's LaTeX.

    >>> symbol_text(r"\tau_{\mathrm{Y}}"), symbol_text(r"B^{*}")
    ('τ_Y', 'B*')
    """
    return TAG.sub("", symbol_html(tex).replace("<sub>", "_"))


def plain_text(text: str) -> str:
    r"""Return a text with the mathematics between dollars as plain text.

    >>> plain_text(r"layers from $N = 12\,l\,h^2$, so $s(N_{1/2} - 1) = 1$")
    'layers from N=12lh^2, so s(N_(1/2)-1)=1'
    """
    return re.sub(r"\$(.+?)\$", lambda match: _math_text(match[1]), text)


def _math_text(tex: str) -> str:
    """Return the plain text of LaTeX, each index and power with its sign, as expressions need it."""
    return TAG.sub("", re.sub(r"<(su[bp])>(.+?)</\1>", _script_text, symbol_html(tex)))


def _script_text(match: re.Match) -> str:
    text = TAG.sub("", match[2])
    return f"{'_' if match[1] == 'sub' else '^'}{text if text.isalnum() else f'({text})'}"
