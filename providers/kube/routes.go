package kube

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// routesYoung is how old the lists may be that tell what routes to a node: nodes that settle side by
// side are looked up with one of each.
const routesYoung = time.Second

// routeLists are the routes of all nodes, as the API had them last.
type routeLists struct {
	mu     sync.Mutex
	asked  time.Time
	of     map[string][]record.Route // by node
	always []record.Route            // to every node
}

// lookAtRoutes reads what routes to a node: the endpoints of EndpointSlices that serve, also while they
// stop, and load balancers that use the ports of every node.
func (e *Executor) lookAtRoutes(ctx context.Context, a record.Action) record.Outcome {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	r := &e.routes
	r.mu.Lock()
	defer r.mu.Unlock()
	if asked := time.Now(); asked.Sub(r.asked) > routesYoung {
		of, err := e.endpoints(ctx)
		if err != nil {
			return e.unread(err, "list", "endpointslices")
		}
		always, err := e.nodePorts(ctx)
		if err != nil {
			return e.unread(err, "list", "services")
		}
		r.of, r.always, r.asked = of, always, asked
	}
	return record.Outcome{Verdict: record.Done, Routes: slices.Concat(r.of[a.Node], r.always)}
}

// endpoints lists those of all EndpointSlices that serve, by node.
func (e *Executor) endpoints(ctx context.Context) (map[string][]record.Route, error) {
	out := map[string][]record.Route{}
	err := e.listJSON(ctx, "/apis/discovery.k8s.io/v1/endpointslices", func(item json.RawMessage) error {
		var slice struct {
			Metadata struct {
				Namespace string            `json:"namespace"`
				Labels    map[string]string `json:"labels"`
			} `json:"metadata"`
			Endpoints []struct {
				NodeName   string `json:"nodeName"`
				Conditions struct {
					Ready   *bool `json:"ready"`
					Serving *bool `json:"serving"`
				} `json:"conditions"`
				TargetRef struct {
					Kind string `json:"kind"`
					Name string `json:"name"`
				} `json:"targetRef"`
			} `json:"endpoints"`
		}
		if err := json.Unmarshal(item, &slice); err != nil {
			return err
		}
		for _, p := range slice.Endpoints {
			serves := p.Conditions.Serving
			if serves == nil {
				serves = p.Conditions.Ready // by an API server that does not tell it: nil means that it is ready
			}
			if p.NodeName == "" || serves != nil && !*serves {
				continue
			}
			route := record.Route{Service: slice.Metadata.Namespace + "/" + slice.Metadata.Labels["kubernetes.io/service-name"]}
			if p.TargetRef.Kind == "Pod" {
				route.Pod = slice.Metadata.Namespace + "/" + p.TargetRef.Name
			}
			out[p.NodeName] = append(out[p.NodeName], route)
		}
		return nil
	})
	return out, err
}

// nodePorts lists the Services whose load balancers use ports of every node.
func (e *Executor) nodePorts(ctx context.Context) (out []record.Route, err error) {
	err = e.listJSON(ctx, "/api/v1/services", func(item json.RawMessage) error {
		var service struct {
			Metadata struct {
				Namespace string `json:"namespace"`
				Name      string `json:"name"`
			} `json:"metadata"`
			Spec struct {
				Type  string `json:"type"`
				Ports []struct {
					NodePort int `json:"nodePort"`
				} `json:"ports"`
			} `json:"spec"`
		}
		if err := json.Unmarshal(item, &service); err != nil {
			return err
		}
		for _, port := range service.Spec.Ports {
			if service.Spec.Type == "LoadBalancer" && port.NodePort > 0 {
				out = append(out, record.Route{Service: service.Metadata.Namespace + "/" + service.Metadata.Name, EveryNode: true})
				break
			}
		}
		return nil
	})
	return out, err
}

// listJSON reads the objects of a path, page by page.
func (e *Executor) listJSON(ctx context.Context, path string, each func(item json.RawMessage) error) error {
	more := ""
	for {
		q := e.c.api.core.Get().AbsPath(path).SetHeader("Accept", "application/json").Param("limit", strconv.Itoa(nodePage))
		if more != "" {
			q = q.Param("continue", more)
		}
		answer := q.Do(ctx)
		if err := answer.Error(); err != nil {
			return err
		}
		raw, err := answer.Raw()
		if err != nil {
			return err
		}
		var page struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []json.RawMessage `json:"items"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		for _, item := range page.Items {
			if err := each(item); err != nil {
				return err
			}
		}
		if more = page.Metadata.Continue; more == "" {
			return nil
		}
	}
}
