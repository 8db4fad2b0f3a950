# Two buckets in two regions; what is copied, how soon, and how long it is kept.
resource "aws_s3_bucket" "first" {
  provider = aws.first
  bucket   = "checkpoints-first"
}

resource "aws_s3_bucket" "second" {
  provider = aws.second
  bucket   = "checkpoints-second"
}

resource "aws_s3_bucket_versioning" "first" {
  provider = aws.first
  bucket   = aws_s3_bucket.first.id
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

# Only what the job puts below copy/ crosses: one checkpoint every 44 h, not each of them.
resource "aws_s3_bucket_replication_configuration" "copies" {
  provider   = aws.first
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
      status = "Disabled"
    }
    destination {
      bucket        = aws_s3_bucket.second.arn
      storage_class = "GLACIER_IR"
      replication_time {
        status = "Enabled"
        time {
          minutes = 15 # = resilience.book_lag | min
        }
      }
      metrics {
        status = "Enabled"
        event_threshold {
          minutes = 15 # = resilience.book_lag | min
        }
      }
    }
  }
}

# Each rule has a prefix: what is named by none is kept. A rule without one would take the best model too.
resource "aws_s3_bucket_lifecycle_configuration" "first" {
  provider = aws.first
  bucket   = aws_s3_bucket.first.id

  rule {
    id     = "checkpoints"
    status = "Enabled"
    filter {
      prefix = "checkpoints/"
    }
    expiration {
      days = 30
    }
    noncurrent_version_expiration {
      noncurrent_days = 7
    }
  }
}
