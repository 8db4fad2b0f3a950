"""Checkpoints in an object store: the manifest goes last, the calendar's rule deletes, a second bucket keeps copies.

A checkpoint counts when its manifest is there, for an object store has no rename. What a cloud does by its
replication rule, `replicate` does here by hand: the local server copies nothing by itself.
"""

from pathlib import Path

from practice import durable, retention

COPIES = "copy"  # what is under this prefix crosses to the other region, and nothing else


def key(run, step, name):
    """Return the key of a file of a checkpoint.

    >>> key("run-42", 20, "manifest.json")
    'copy/run-42/step-00000020/manifest.json'
    """
    return f"{COPIES}/{run}/{durable.place('', step).name}/{name}"


def put(client, bucket, run, path):
    """Store a whole checkpoint, its manifest last; raise Damaged if it is not whole."""
    if found := durable.faults(path):
        raise durable.Damaged("; ".join(found))
    step, manifest = durable.step_of(path), Path(path, durable.MANIFEST)
    for file in [*(f for f in sorted(Path(path).iterdir()) if f != manifest), manifest]:
        client.upload_file(str(file), bucket, key(run, step, file.name))


def keys(client, bucket, run):
    """Return all keys of a run."""
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{COPIES}/{run}/")
    return [item["Key"] for page in pages for item in page.get("Contents", [])]


def complete(client, bucket, run):
    """Return the steps whose manifest is there."""
    ends = [k.split("/")[-2] for k in keys(client, bucket, run) if k.endswith(f"/{durable.MANIFEST}")]
    return sorted(map(durable.step_of, ends))


def replicate(client, first, second, run):
    """Copy what the second bucket lacks, manifests last, as a replication rule for the prefix would."""
    there = set(keys(client, second, run))
    for name in sorted(set(keys(client, first, run)) - there, key=lambda k: k.endswith(durable.MANIFEST)):
        client.copy({"Bucket": first, "Key": name}, second, name)


def sweep(client, bucket, run, now, tiers):
    """Delete what the calendar's rule lets go, each manifest first, and return the steps; the last always stays."""
    steps = complete(client, bucket, run)
    gone = retention.doomed(steps, set(steps), now, tiers)
    for step in gone:
        files = [k for k in keys(client, bucket, run) if f"/{durable.place('', step).name}/" in k]
        for name in sorted(files, key=lambda k: not k.endswith(durable.MANIFEST)):
            client.delete_object(Bucket=bucket, Key=name)
    return gone
