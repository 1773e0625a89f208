package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// callAWS makes a call to Auto Scaling.
func callAWS(ctx context.Context, endpoint, action string, parameters map[string]string) error {
	form := url.Values{"Action": {action}, "Version": {"2011-01-01"}}
	for name, value := range parameters {
		form.Set(name, value)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=bench/20250101/eu-west-1/autoscaling/aws4_request, SignedHeaders=host, Signature=0")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		return fmt.Errorf("%s: %s: %s", action, response.Status, body)
	}
	return nil
}
