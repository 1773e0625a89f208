package cloud

import (
	"net/http"
	"time"
)

// refresh is an instance refresh. It only says that it is at work: the lab replaces
// nothing by it.
type refresh struct {
	id, status string
	began      time.Time
}

func startRefresh(c *Cloud, r *request) ([]node, *apiError) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	if g.refresh.status == "InProgress" {
		return nil, &apiError{"InstanceRefreshInProgress", "An Instance Refresh is already in progress and blocks the execution of this Instance Refresh.", http.StatusBadRequest}
	}
	id := c.uuid()
	c.editGroup(g, func(g *group) { g.refresh = refresh{id, "InProgress", time.Now()} })
	return []node{text("InstanceRefreshId", id)}, nil
}

func cancelRefresh(c *Cloud, r *request) ([]node, *apiError) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	if g.refresh.status != "InProgress" {
		return nil, &apiError{"ActiveInstanceRefreshNotFound", "No in progress or pending Instance Refresh found for Auto Scaling group " + g.Name, http.StatusBadRequest}
	}
	c.editGroup(g, func(g *group) { g.refresh.status = "Cancelled" })
	return []node{text("InstanceRefreshId", g.refresh.id)}, nil
}

func describeRefreshes(c *Cloud, r *request) ([]node, *apiError) {
	name := r.str("AutoScalingGroupName")
	g := c.seen().groups[name]
	if g == nil {
		return nil, errNoGroup(name)
	}
	var list []refresh
	if g.refresh.id != "" {
		list = append(list, g.refresh)
	}
	return []node{each("InstanceRefreshes", "member", list, func(x refresh) []node {
		return []node{text("InstanceRefreshId", x.id), text("AutoScalingGroupName", name), text("Status", x.status), text("StartTime", x.began), text("PercentageComplete", 0)}
	})}, nil
}
