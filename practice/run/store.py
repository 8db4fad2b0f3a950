"""Checkpoints in an object store: which are complete, and how to load one after the loss of a region.

Cross-region replication copies objects one by one in any order, so a manifest may arrive before its files. A checkpoint
is complete when all of them exist with the right size, and it is loaded if all checksums match.
`python -m practice.run.store load BUCKET RUN FOLDER` loads the newest one.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

from practice import durable

COPIES = "copy"  # prefix of the objects that are replicated


def key(run, step, name):
    """Return the object key of a file of a checkpoint.

    >>> key("run-42", 20, "manifest.json")
    'copy/run-42/step-00000020/manifest.json'
    """
    return f"{COPIES}/{run}/{durable.place('', step).name}/{name}"


def listing(client, bucket, run):
    """Return the size of each object of a run by its key."""
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{COPIES}/{run}/")
    return {item["Key"]: item["Size"] for page in pages for item in page.get("Contents", [])}


def keys(client, bucket, run):
    """Return all keys of a run."""
    return list(listing(client, bucket, run))


def complete(client, bucket, run):
    """Return the steps of complete checkpoints, oldest first."""
    sizes = listing(client, bucket, run)
    ends = [name for name in sizes if name.endswith(f"/{durable.MANIFEST}")]
    found = []
    for name in ends:
        files = json.loads(client.get_object(Bucket=bucket, Key=name)["Body"].read())["body"]["files"]
        folder = name.removesuffix(durable.MANIFEST)
        if all(sizes.get(f"{folder}{file}") == size for file, (size, _) in files.items()):
            found.append(durable.step_of(folder.rstrip("/")))
    return sorted(found)


def load(client, bucket, run, folder):
    """Download the newest intact checkpoint into a folder and return its path.

    Raises: Damaged if none is intact.
    """
    for step in reversed(complete(client, bucket, run)):
        path = durable.place(folder, step)
        path.mkdir(parents=True)
        for name in keys(client, bucket, run):
            if f"/{path.name}/" in name:
                client.download_file(bucket, name, str(path / name.rsplit("/", 1)[-1]))
        if not (found := durable.faults(path)):
            return path
        print(f"{path.name} passed over: {'; '.join(found)}", file=sys.stderr)
        shutil.rmtree(path)
    raise durable.Damaged(f"no copy of {run} in {bucket} is whole")


def main(given=None):
    """Load a checkpoint, or return why that fails."""
    parser = argparse.ArgumentParser(description="Load the newest intact checkpoint of a run from a bucket.")
    parser.add_argument("what", choices=("load",))
    parser.add_argument("bucket")
    parser.add_argument("run")
    parser.add_argument("folder", type=Path)
    args = parser.parse_args(given)
    import boto3  # only needed here

    try:
        print(load(boto3.client("s3"), args.bucket, args.run, args.folder).name)
    except durable.Damaged as error:
        return str(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
