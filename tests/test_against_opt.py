"""Holds the size of a checkpoint to the chronicles of OPT-175B."""

from published import entries, refuse, require

from mathcore import find

ENTRY = entries("opt")["ckpt-opt175-size"]


def size(files):
    return find("resilience.size_of_files").at(k_f=files, s_f=find("resilience.opt_file")).m_as("TB")


def test_992_files_make_the_stated_size():
    assert find("resilience.opt_files").value.magnitude == ENTRY["inputs"]["n"][0]
    assert find("resilience.opt_file").value.m_as("GB") == ENTRY["inputs"]["s"][0]
    require(ENTRY, size(find("resilience.opt_files")))


def test_stated_size_is_binary():
    """1.69 TB in decimal units are 1.53 TiB: the stated 1.6 lies between the two."""
    assert (
        find("resilience.opt_checkpoint").value.m_as("TiB") < 1.6 < find("resilience.opt_checkpoint").value.m_as("TB")
    )


def test_not_all_of_adam_was_saved_in_single_precision():
    """Limit of the rule of 14 byte: 9.6 byte a parameter mean smaller moments, or no master copy."""
    assert find("resilience.opt_bytes").value < find("resilience.saved").value


def test_one_file_per_device_is_found():
    refuse(ENTRY, size("1200"))
