# What the drill brings up in the second region: a file system and servers, gone again with `terraform destroy`.
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
  type    = string
  default = "us-west-2"
}

variable "subnet" {
  type = string
}

variable "launch_template" {
  type = string
}

provider "aws" {
  region = var.region
}

resource "aws_fsx_lustre_file_system" "drill" {
  storage_capacity            = 57600 # = operations.store_size | GiB
  per_unit_storage_throughput = 1000  # = operations.fsx_1000 | MB/s/TiB
  deployment_type             = "PERSISTENT_2"
  storage_type                = "SSD"
  subnet_ids                  = [var.subnet]
  tags                        = { run = var.run }
}

resource "aws_autoscaling_group" "drill" {
  name                = "drill-${var.run}"
  min_size            = 0
  desired_capacity    = 100 # = operations.book_servers
  max_size            = 100 # = operations.book_servers
  vpc_zone_identifier = [var.subnet]

  launch_template {
    id      = var.launch_template
    version = "$Latest"
  }
}
