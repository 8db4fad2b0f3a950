# Values of a site, to be replaced by yours; `terraform apply` reads this file by itself.
region     = "us-west-2"
vpc        = "vpc-00000000000000000"
subnet     = "subnet-00000000000000000"
image      = "ami-00000000000000000"
controller = "slurm.second.internal:6817"
