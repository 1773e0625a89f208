// Package api has the documents that Drainboard prints for programs: what -o json prints, what
// an event is, and what hooks get. It is plain data, and imports nothing of the engine but the
// record whose events it encodes.
//
// Each exported struct that embeds TypeMeta is a document; its name is its kind. Marshal fills
// in apiVersion and kind, and writes lists and maps that nothing is in as [] and {}. A field
// without omitempty or omitzero is always there. The tag enum names the constants that a string
// may be.
//
// The comment at a field is its description: docs/reference/json.md and the JSON Schemas in
// docs/reference/schema are made from the types here (package present, TestSchemas). Fields are
// only ever added.
package api
