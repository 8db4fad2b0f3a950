"""The list of references, set again only when another work is cited or the list itself is another one."""

from pybtex.backends.plaintext import Backend
from pybtex.plugin import register_plugin
from sphinxcontrib.bibtex.domain import BibtexDomain, get_docnames

from mathbook.folders import fingerprint


def setup(app):
    """Take the place of the record of citations of sphinxcontrib.bibtex, where a project uses that extension."""
    app.connect("config-inited", _replace)


def _replace(app, config):
    if "sphinxcontrib.bibtex" in app.extensions:
        app.add_domain(CachedCitations, override=True)
        # asked for with each citation: what is registered is found without a look through all installed packages
        register_plugin("pybtex.backends", "plaintext", Backend, force=True)


class CachedCitations(BibtexDomain):
    """Remember for which citations the works were set: the extension sets all of them in every build."""

    def env_updated(self):
        """Set the works that are cited, unless they are set; what is wrong with one is told with its list."""
        order = {page: place for place, page in enumerate(get_docnames(self.env))}
        refs = sorted(self.citation_refs, key=lambda ref: order[ref.docname])
        cited = list(dict.fromkeys((ref.docname, target.key) for ref in refs for target in ref.targets))
        wanted = cited, sorted(map(str, self.bibliographies)), fingerprint(sorted(self.bibdata.bibfiles))
        if self.data.get("set for") == wanted:
            return []
        found = super().env_updated()
        self.data["set for"] = wanted
        return found

    def clear_doc(self, docname):
        """Forget a page; where it holds a list of references, the works are set again."""
        if any(key.docname == docname for key in self.bibliographies):
            self.data.pop("set for", None)
        super().clear_doc(docname)
