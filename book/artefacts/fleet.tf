# Ten per cent on demand, once: a base of ten per cent and another ten above it make nineteen.
resource "aws_autoscaling_group" "workers" {
  name                = "workers"
  min_size            = 0
  desired_capacity    = 50 # = operations.book_group
  max_size            = 50 # = operations.book_group
  vpc_zone_identifier = [var.subnet]

  mixed_instances_policy {
    instances_distribution {
      on_demand_base_capacity                  = 5 # = operations.book_base
      on_demand_percentage_above_base_capacity = 0 # = operations.ten_share.q_o | %
      spot_allocation_strategy                 = "capacity-optimized"
    }

    launch_template {
      launch_template_specification {
        launch_template_id = var.launch_template
        version            = "$Latest"
      }

      # one type: in a gang the smallest memory and the slowest device decide for all
      override {
        instance_type = "p4d.24xlarge"
      }
    }
  }
}
