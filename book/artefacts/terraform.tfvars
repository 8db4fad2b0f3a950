# Values of a site, to be replaced by yours; `terraform apply` reads this file by itself.
vpc              = "vpc-00000000000000000"
subnet           = "subnet-00000000000000000"
launch_template  = "lt-00000000000000000"
replication_role = "arn:aws:iam::000000000000:role/replication"
