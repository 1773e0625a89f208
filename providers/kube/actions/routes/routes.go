// Package routes reads what routes to nodes: the endpoints of EndpointSlices that serve, also while they
// stop, and load balancers that use the ports of every node.
package routes

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/drainboard/drainboard/engine/record"
)

const (
	// young is how old the lists may be: nodes that settle side by side are looked up with one of each.
	young = time.Second
	// page is how many objects a request lists.
	page = 500
)

// Lists are the routes of all nodes, as the API had them last. The zero value is ready to use, by several
// at a time.
type Lists struct {
	mu     sync.Mutex
	asked  time.Time
	of     map[string][]record.Route // by node
	always []record.Route            // to every node
}

// To is what routes to a node. With an error it names the resource that could not be listed.
func (l *Lists) To(ctx context.Context, api rest.Interface, node string) (routes []record.Route, unread schema.GroupResource, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if asked := time.Now(); asked.Sub(l.asked) > young {
		of, err := endpoints(ctx, api)
		if err != nil {
			return nil, schema.GroupResource{Group: "discovery.k8s.io", Resource: "endpointslices"}, err
		}
		always, err := nodePorts(ctx, api)
		if err != nil {
			return nil, schema.GroupResource{Resource: "services"}, err
		}
		l.of, l.always, l.asked = of, always, asked
	}
	return slices.Concat(l.of[node], l.always), schema.GroupResource{}, nil
}

// endpoints lists those of all EndpointSlices that serve, by node.
func endpoints(ctx context.Context, api rest.Interface) (map[string][]record.Route, error) {
	out := map[string][]record.Route{}
	err := listJSON(ctx, api, "/apis/discovery.k8s.io/v1/endpointslices", func(item json.RawMessage) error {
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
func nodePorts(ctx context.Context, api rest.Interface) (out []record.Route, err error) {
	err = listJSON(ctx, api, "/api/v1/services", func(item json.RawMessage) error {
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
func listJSON(ctx context.Context, api rest.Interface, path string, each func(item json.RawMessage) error) error {
	more := ""
	for {
		q := api.Get().AbsPath(path).SetHeader("Accept", "application/json").Param("limit", strconv.Itoa(page))
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
		var list struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []json.RawMessage `json:"items"`
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			return err
		}
		for _, item := range list.Items {
			if err := each(item); err != nil {
				return err
			}
		}
		if more = list.Metadata.Continue; more == "" {
			return nil
		}
	}
}
