# What the drill brings up in the second region: a file system, and servers that mount it and join its Slurm; gone
# again with `terraform destroy`. The values of a site are in terraform.tfvars beside this file.
terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}

variable "run" {
  type = string
}

variable "region" {
  type = string
}

variable "vpc" {
  type = string
}

variable "subnet" {
  type = string
}

variable "image" {
  description = "with the driver, the Lustre client, munge, slurmd, node_exporter, dcgm-exporter and the environment of the run"
  type        = string
}

variable "controller" {
  description = "address of the Slurm controller of this region; its slurm.conf allows dynamic nodes"
  type        = string
}

provider "aws" {
  region = var.region
}

resource "aws_security_group" "drill" {
  name   = "drill-${var.run}"
  vpc_id = var.vpc

  # Lustre
  dynamic "ingress" {
    for_each = { servers = [988, 988], clients = [1018, 1023] }
    content {
      from_port = ingress.value[0]
      to_port   = ingress.value[1]
      protocol  = "tcp"
      self      = true
    }
  }

  # the fabric of the servers, which needs all traffic of the group, and Slurm
  ingress {
    from_port = 0
    to_port   = 0
    protocol  = "-1"
    self      = true
  }

  egress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_fsx_lustre_file_system" "drill" {
  storage_capacity            = 14400 # = operations.run_rate.V_s | GiB
  per_unit_storage_throughput = 500   # = operations.fsx_500 | MB/s/TiB
  deployment_type             = "PERSISTENT_2"
  storage_type                = "SSD"
  subnet_ids                  = [var.subnet]
  security_group_ids          = [aws_security_group.drill.id]
  tags                        = { run = var.run }
}

resource "aws_launch_template" "drill" {
  name          = "drill-${var.run}"
  image_id      = var.image
  instance_type = "p4d.24xlarge"

  vpc_security_group_ids = [aws_security_group.drill.id]

  user_data = base64encode(<<-EOT
    #!/usr/bin/env bash
    set -euo pipefail
    mkdir -p /fsx /var/lib/node_exporter/textfile
    mount -t lustre -o relatime,flock ${aws_fsx_lustre_file_system.drill.dns_name}@tcp:/${aws_fsx_lustre_file_system.drill.mount_name} /fsx
    slurmd -Z --conf-server ${var.controller} --conf "Feature=drill"
  EOT
  )
}

resource "aws_autoscaling_group" "drill" {
  name                = "drill-${var.run}"
  min_size            = 0
  desired_capacity    = 100 # = operations.book_servers
  max_size            = 100 # = operations.book_servers
  vpc_zone_identifier = [var.subnet]

  # the command returns when the servers are in service, not when they are ordered
  wait_for_capacity_timeout = "30m" # = operations.book_notice.t_s | min

  launch_template {
    id      = aws_launch_template.drill.id
    version = "$Latest"
  }
}
