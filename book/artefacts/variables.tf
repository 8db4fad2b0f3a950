# What the other files leave open.
terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      configuration_aliases = [aws.first, aws.second]
    }
  }
}

variable "subnet" {
  type = string
}

variable "vpc" {
  type = string
}

variable "launch_template" {
  type = string
}

variable "replication_role" {
  type = string
}
