package kube

import (
	"encoding/binary"
	"errors"
	"io"
)

// What the API sends for a list of pods is mostly what nobody here looks at: managed
// fields, containers, volumes. It is left out before it is decoded, which costs a
// fraction of decoding it and dropping it then. The form is protobuf's
// (protobuf.dev/programming-guides/encoding); the numbers of the fields are part of
// the Kubernetes API and never change (generated.proto of k8s.io/api).

// wanted are the numbers of the fields of a message that are wanted; of those that
// are messages, which of theirs, nil for all.
type wanted map[uint64]wanted

var errWire = errors.New("the answer is not protobuf as it should be")

// The types of a field on the wire.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// prune leaves in a message what is wanted, in place, and returns what is left.
func prune(message []byte, want wanted) ([]byte, error) {
	w := 0
	for r := 0; r < len(message); {
		tag, n := binary.Uvarint(message[r:])
		if n <= 0 {
			return nil, errWire
		}
		from, value := r, r+n // of the field, and of its value
		size, n := sizeOf(message[value:], tag&7)
		end := value + n + size
		if n < 0 || size < 0 || end > len(message) || end < value {
			return nil, errWire
		}
		r = end
		of, wanted := want[tag>>3]
		switch {
		case !wanted:
		case of == nil || tag&7 != wireBytes:
			w += copy(message[w:], message[from:end])
		default:
			inner, err := prune(message[value+n:end], of)
			if err != nil {
				return nil, err
			}
			w += copy(message[w:], message[from:value])
			w += binary.PutUvarint(message[w:], uint64(len(inner))) // no longer than what was there
			w += copy(message[w:], inner)
		}
	}
	return message[:w], nil
}

// sizeOf is the size of a field's value, and of the length before it; -1 if there is
// none.
func sizeOf(value []byte, wire uint64) (size, length int) {
	switch wire {
	case wireVarint:
		if _, n := binary.Uvarint(value); n > 0 {
			return 0, n
		}
	case wireFixed64:
		return 8, 0
	case wireFixed32:
		return 4, 0
	case wireBytes:
		n, at := binary.Uvarint(value)
		if at > 0 && n <= uint64(len(value)) {
			return int(n), at
		}
	}
	return -1, -1
}

// wireReader is a stream of fields, of a message that may be too large to hold.
type wireReader interface {
	io.Reader
	io.ByteReader
}

// eachField reads the fields of a message from a stream, up to its length (less than
// 0: to the end). do gets the number of each, and reads the n bytes of those that
// have a length itself, or returns without; what it leaves is skipped.
func eachField(r *counted, length int64, do func(number uint64, n int64) error) error {
	for end := r.at + length; length < 0 || r.at < end; {
		tag, err := binary.ReadUvarint(r)
		if err == io.EOF && length < 0 {
			return nil
		}
		if err != nil {
			return err
		}
		n := int64(0)
		switch tag & 7 {
		case wireVarint:
			if _, err := binary.ReadUvarint(r); err != nil {
				return err
			}
			continue
		case wireFixed64:
			n = 8
		case wireFixed32:
			n = 4
		case wireBytes:
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
		if tag&7 == wireBytes {
			if err := do(tag>>3, n); err != nil {
				return err
			}
		}
		if _, err := io.CopyN(io.Discard, r, value-r.at); err != nil {
			return err
		}
	}
	return nil
}

// counted counts what was read.
type counted struct {
	from wireReader
	at   int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.at += int64(n)
	return n, err
}

func (c *counted) ReadByte() (byte, error) {
	b, err := c.from.ReadByte()
	if err == nil {
		c.at++
	}
	return b, err
}
