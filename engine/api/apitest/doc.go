// Package apitest holds JSON to the schemas in docs/reference/schema. Only tests import it.
package apitest
