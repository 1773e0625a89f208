package cloud

import (
	"net/http"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// refresh is an instance refresh. It only says that it is at work: the lab replaces
// nothing by it.
type refresh struct {
	id, status string
	began      time.Time
}

func startRefresh(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	if g.refresh.status == "InProgress" {
		return nil, wire.NewError("InstanceRefreshInProgress", "An Instance Refresh is already in progress and blocks the execution of this Instance Refresh.", http.StatusBadRequest)
	}
	id := c.uuid()
	c.editGroup(g, func(g *group) { g.refresh = refresh{id, "InProgress", time.Now()} })
	return []wire.Node{wire.Text("InstanceRefreshId", id)}, nil
}

func cancelRefresh(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	if g.refresh.status != "InProgress" {
		return nil, wire.NewError("ActiveInstanceRefreshNotFound", "No in progress or pending Instance Refresh found for Auto Scaling group "+g.Name, http.StatusBadRequest)
	}
	c.editGroup(g, func(g *group) { g.refresh.status = "Cancelled" })
	return []wire.Node{wire.Text("InstanceRefreshId", g.refresh.id)}, nil
}

func describeRefreshes(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	name := r.Str("AutoScalingGroupName")
	g := c.seen().groups[name]
	if g == nil {
		return nil, errNoGroup(name)
	}
	var list []refresh
	if g.refresh.id != "" {
		list = append(list, g.refresh)
	}
	return []wire.Node{wire.Each("InstanceRefreshes", "member", list, func(x refresh) []wire.Node {
		return []wire.Node{wire.Text("InstanceRefreshId", x.id), wire.Text("AutoScalingGroupName", name), wire.Text("Status", x.status), wire.Text("StartTime", x.began), wire.Text("PercentageComplete", 0)}
	})}, nil
}
