"""Checkpoints in an object store: what is whole there, and how a lost region is loaded again.

A cloud copies the objects of a bucket to another region one by one and keeps no order, so that a manifest proves
nothing of the files that it names. A checkpoint counts when every one of them is there in its size, and it is loaded
when every checksum fits. `python -m practice.run.store load BUCKET RUN FOLDER` loads the newest such one.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

from practice import durable

COPIES = "copy"  # what is under this prefix crosses to the other region, and nothing else


def key(run, step, name):
    """Return the key of a file of a checkpoint.

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
    """Return the steps of which every file that the manifest names is there in its size, oldest first."""
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
    """Bring the newest whole checkpoint into a folder and return its path, passing over those that do not verify.

    Raises: Damaged where none does.
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
    """Load, or say why nothing can be loaded."""
    parser = argparse.ArgumentParser(description="Load the newest whole checkpoint of a run from a bucket.")
    parser.add_argument("what", choices=("load",))
    parser.add_argument("bucket")
    parser.add_argument("run")
    parser.add_argument("folder", type=Path)
    args = parser.parse_args(given)
    import boto3  # only where an object store is really asked

    try:
        print(load(boto3.client("s3"), args.bucket, args.run, args.folder).name)
    except durable.Damaged as error:
        return str(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
