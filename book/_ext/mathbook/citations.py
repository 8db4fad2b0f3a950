"""A citation domain that formats the list of references only if cited works or the list have changed."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pybtex.backends.plaintext import Backend
from pybtex.plugin import register_plugin
from sphinxcontrib.bibtex.domain import BibtexDomain, get_docnames

from mathbook.folders import hash_files

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config


def setup(app: "Sphinx") -> None:
    """Replace the citation domain of sphinxcontrib.bibtex, if a project uses that extension."""
    app.connect("config-inited", _replace)


def _replace(app: "Sphinx", config: "Config") -> None:
    if "sphinxcontrib.bibtex" in app.extensions:
        app.add_domain(CachedCitations, override=True)
        # asked for with each citation: what is registered is found without a look through all installed packages
        register_plugin("pybtex.backends", "plaintext", Backend, force=True)


class CachedCitations(BibtexDomain):
    """A citation domain that remembers which citations are formatted; the original formats all in every build."""

    def env_updated(self) -> Iterable[str]:
        """Format the cited works unless they are unchanged; errors have the location of the list."""
        order = {page: place for place, page in enumerate(get_docnames(self.env))}
        refs = sorted(self.citation_refs, key=lambda ref: order[ref.docname])
        cited = list(dict.fromkeys((ref.docname, target.key) for ref in refs for target in ref.targets))
        wanted = cited, sorted(map(str, self.bibliographies)), hash_files(sorted(self.bibdata.bibfiles))
        if self.data.get("set for") == wanted:
            return []
        updated = super().env_updated()
        self.data["set for"] = wanted
        return updated

    def clear_doc(self, docname: str) -> None:
        """Remove a page; if it contains a list of references, works are formatted again."""
        if any(key.docname == docname for key in self.bibliographies):
            self.data.pop("set for", None)
        super().clear_doc(docname)
