# What the other files leave open.
variable "first_region" {
  type    = string
  default = "us-east-1"
}

variable "second_region" {
  type    = string
  default = "us-west-2"
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
