package yaml

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"sigs.k8s.io/yaml"
)

// Writer writes JSON documents as YAML ones, with --- between them, each as soon as the last
// byte of it came.
type Writer struct {
	mu    sync.Mutex
	to    io.Writer
	began []byte // of a document
	later bool   // one was written
}

// NewWriter returns one on an output; later: something was written to it before.
func NewWriter(to io.Writer, later bool) *Writer { return &Writer{to: to, later: later} }

func (y *Writer) Write(b []byte) (int, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.began = append(y.began, b...)
	for {
		docs := json.NewDecoder(bytes.NewReader(y.began))
		var doc json.RawMessage
		if err := docs.Decode(&doc); err == io.EOF || err == io.ErrUnexpectedEOF {
			return len(b), nil
		} else if err != nil { // something else was written to the output
			text := y.began
			y.began = nil
			if _, err := y.to.Write(text); err != nil {
				return 0, err
			}
			return len(b), nil
		}
		y.began = y.began[docs.InputOffset():]
		if err := y.document(doc); err != nil {
			return 0, err
		}
	}
}

// document writes one at once, as a reader of a stream needs it.
func (y *Writer) document(doc []byte) error {
	text, err := yaml.JSONToYAML(doc)
	if err != nil {
		return err
	}
	if y.later {
		text = append([]byte("---\n"), text...)
	}
	y.later = true
	_, err = y.to.Write(text)
	return err
}
