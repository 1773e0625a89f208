package vms

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// A Client asks a Service. Its errors are of type *Error if the service refused.
type Client struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// Create makes a VM. The spec is JSON, of a Spec.
func (c Client) Create(ctx context.Context, name, class string, spec []byte) (VM, error) {
	var vm VM
	err := c.do(ctx, http.MethodPost, "", createRequest{Name: name, Class: class, Spec: spec}, &vm)
	return vm, err
}

// Delete ends the VM of an id, or without one those of a name. It is no mistake if
// there is none.
func (c Client) Delete(ctx context.Context, id, name string) error {
	query := url.Values{"id": {id}, "name": {name}}
	return c.do(ctx, http.MethodDelete, "?"+query.Encode(), nil, &struct{}{})
}

// List is every VM.
func (c Client) List(ctx context.Context) ([]VM, error) {
	var vms []VM
	return vms, c.do(ctx, http.MethodGet, "", nil, &vms)
}

func (c Client) do(ctx context.Context, method, query string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL+"/vms"+query, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	if response.StatusCode == http.StatusOK {
		return decoder.Decode(out)
	}
	refusal := &Error{}
	if err := decoder.Decode(refusal); err != nil {
		return err
	}
	return refusal
}
