package objects

import (
	"encoding/binary"
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// What the API sends for a list of pods is mostly unused here: managed
// fields, containers, volumes. So objects are read field by field, and only what is
// used is decoded: the fields that readfields.go declares.

var errWire = errors.New("the answer is not protobuf as it should be")

// message is an object, or a part of one, that is read field by field.
type message struct {
	rest []byte // what was not read yet
	err  error

	// number is that of the field that was read last, and value what it holds where
	// that has a length, a text or a message; varint is a number or a truth.
	number protowire.Number
	value  []byte
	varint uint64
}

// next reads a field, and reports whether there was one.
func (m *message) next() bool {
	if m.err != nil || len(m.rest) == 0 {
		return false
	}
	number, kind, n := protowire.ConsumeTag(m.rest)
	if n < 0 {
		m.err = errWire
		return false
	}
	m.number, m.value, m.varint, m.rest = number, nil, 0, m.rest[n:]
	switch kind {
	case protowire.BytesType:
		m.value, n = protowire.ConsumeBytes(m.rest)
	case protowire.VarintType:
		m.varint, n = protowire.ConsumeVarint(m.rest)
	default:
		n = protowire.ConsumeFieldValue(number, kind, m.rest)
	}
	if n < 0 {
		m.err = errWire
		return false
	}
	m.rest = m.rest[n:]
	return true
}

// noting keeps the first error of reading a part.
func (m *message) noting(err error) {
	if m.err == nil {
		m.err = err
	}
}

// wireReader is a stream of fields, of a message that may be too large to hold.
type wireReader interface {
	io.Reader
	io.ByteReader
}

// EachField reads the fields of a message from a stream, up to its length (less than
// 0: to the end). do gets the number of each, and reads the n bytes of those that
// have a length itself, or returns without; what it leaves is skipped.
func EachField(r *Counted, length int64, do func(number protowire.Number, n int64) error) error {
	for end := r.at + length; length < 0 || r.at < end; {
		tag, err := binary.ReadUvarint(r)
		if err == io.EOF && length < 0 {
			return nil
		}
		if err != nil {
			return err
		}
		number, kind := protowire.DecodeTag(tag)
		n := int64(0)
		switch kind {
		case protowire.VarintType:
			if _, err := binary.ReadUvarint(r); err != nil {
				return err
			}
			continue
		case protowire.Fixed64Type:
			n = 8
		case protowire.Fixed32Type:
			n = 4
		case protowire.BytesType:
			size, err := binary.ReadUvarint(r)
			if err != nil {
				return err
			}
			n = int64(size)
		default:
			return errWire
		}
		if n < 0 || length >= 0 && r.at+n > end {
			return errWire
		}
		value := r.at + n
		if kind == protowire.BytesType {
			if err := do(number, n); err != nil {
				return err
			}
		}
		if _, err := io.CopyN(io.Discard, r, value-r.at); err != nil {
			return err
		}
	}
	return nil
}

// Counted counts what was read.
type Counted struct {
	From wireReader
	at   int64
}

func (c *Counted) Read(b []byte) (int, error) {
	n, err := c.From.Read(b)
	c.at += int64(n)
	return n, err
}

func (c *Counted) ReadByte() (byte, error) {
	b, err := c.From.ReadByte()
	if err == nil {
		c.at++
	}
	return b, err
}
