# A Lustre file system for checkpoints, and the bucket behind it.
resource "aws_fsx_lustre_file_system" "checkpoints" {
  storage_capacity            = 14400 # = operations.run_rate.V_s | GiB
  per_unit_storage_throughput = 500   # = operations.fsx_500 | MB/s/TiB
  deployment_type             = "PERSISTENT_2"
  storage_type                = "SSD"
  subnet_ids                  = [var.subnet]
  security_group_ids          = [aws_security_group.lustre.id]
}

# Only what the job puts under /copy crosses to the bucket, and what its sweep deletes there is deleted there too:
# an export of everything would keep every checkpoint of the run. PERSISTENT_2 takes no import_path.
resource "aws_fsx_data_repository_association" "copies" {
  file_system_id       = aws_fsx_lustre_file_system.checkpoints.id
  file_system_path     = "/copy"
  data_repository_path = "s3://${aws_s3_bucket.first.id}/copy"

  s3 {
    auto_export_policy {
      events = ["NEW", "CHANGED", "DELETED"]
    }
  }
}

resource "aws_security_group" "lustre" {
  name   = "lustre"
  vpc_id = var.vpc

  dynamic "ingress" {
    for_each = { servers = [988, 988], clients = [1018, 1023] }
    content {
      from_port = ingress.value[0]
      to_port   = ingress.value[1]
      protocol  = "tcp"
      self      = true
    }
  }
}
