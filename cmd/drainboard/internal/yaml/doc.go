// Package yaml writes the JSON documents of package present as YAML.
package yaml
