# Two buckets in two regions; what is copied, how soon, and how long it is kept.
resource "aws_s3_bucket" "first" {
  bucket = "checkpoints-first"
}

resource "aws_s3_bucket" "second" {
  provider = aws.second
  bucket   = "checkpoints-second"
}

resource "aws_s3_bucket_versioning" "first" {
  bucket = aws_s3_bucket.first.id
  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_versioning" "second" {
  provider = aws.second
  bucket   = aws_s3_bucket.second.id
  versioning_configuration {
    status = "Enabled"
  }
}

# Only what the job puts below copy/ crosses: one checkpoint every 50 h, not each of them. Objects cross one by one and
# in no order, so a manifest proves nothing: the loader compares it with the files.
resource "aws_s3_bucket_replication_configuration" "copies" {
  depends_on = [aws_s3_bucket_versioning.first, aws_s3_bucket_versioning.second]
  bucket     = aws_s3_bucket.first.id
  role       = var.replication_role

  rule {
    id     = "copies"
    status = "Enabled"
    filter {
      prefix = "copy/"
    }
    delete_marker_replication {
      status = "Enabled" # what the job's sweep deletes here is deleted there; versions keep it for a week
    }
    destination {
      bucket        = aws_s3_bucket.second.arn
      storage_class = "STANDARD" # cheaper classes charge for months, and a copy lies here for days
    }
  }
}

# No rule here deletes a checkpoint by its age: after a pause of the run it would take the last. The sweep deletes, and
# these rules clear away behind it what versions keep and what broken uploads leave.
resource "aws_s3_bucket_lifecycle_configuration" "first" {
  bucket = aws_s3_bucket.first.id

  rule {
    id     = "behind-the-sweep"
    status = "Enabled"
    filter {
      prefix = "copy/"
    }
    expiration {
      expired_object_delete_marker = true
    }
    noncurrent_version_expiration {
      noncurrent_days = 7
    }
    abort_incomplete_multipart_upload {
      days_after_initiation = 2
    }
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "second" {
  provider = aws.second
  bucket   = aws_s3_bucket.second.id

  rule {
    id     = "behind-the-sweep"
    status = "Enabled"
    filter {
      prefix = "copy/"
    }
    expiration {
      expired_object_delete_marker = true
    }
    noncurrent_version_expiration {
      noncurrent_days = 7
    }
  }
}
