# The root: which provider, and where. Validate it with `terraform init -backend=false && terraform validate`.
terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}

provider "aws" {
  region = var.first_region
}

provider "aws" {
  alias  = "second"
  region = var.second_region
}
