package objects

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Decoder reads the fields that F declares of the API's objects O: from the wire, or from
// an O.
type Decoder[F, O any] struct{ layout *layout }

// NewDecoder panics if F declares what O does not have, or has in another form.
func NewDecoder[F, O any]() Decoder[F, O] {
	return Decoder[F, O]{layoutOf(reflect.TypeFor[F](), reflect.TypeFor[O]())}
}

// Decode reads an object from the wire into f, whatever f held before; its lists are used
// again.
func (d Decoder[F, O]) Decode(b []byte, f *F, w Words) error {
	v := reflect.ValueOf(f).Elem()
	d.layout.clear(v)
	return d.layout.decode(b, v, w)
}

// Pick reads an object that is decoded already. The fields may share memory with it.
func (d Decoder[F, O]) Pick(o *O) *F {
	f := new(F)
	d.layout.pick(reflect.ValueOf(f).Elem(), reflect.ValueOf(o).Elem())
	return f
}

// layout is what is declared of a struct of the API.
type layout struct {
	all      []field
	byNumber []*field // nil where none is declared
}

// field is one of them, or the elements of one that is a list.
type field struct {
	form
	index  int     // in the declared struct
	api    int     // in the API's
	unique bool    // few objects have the same text
	of     *layout // of a message
	elem   *field  // of a list or a pointer
}

// form is how a field is declared.
type form int

const (
	formText form = iota
	formBool
	formInt
	formTime
	formMessage
	formPointer // nil where the field is not set
	formList
	formMap     // of texts
	formAmounts // of resources
)

func layoutOf(declared, api reflect.Type) *layout {
	out := &layout{all: make([]field, declared.NumField())}
	for i := range out.all {
		d := declared.Field(i)
		a, ok := api.FieldByName(d.Name)
		number := wireNumber(a)
		if !ok || len(a.Index) != 1 || number <= 0 {
			panic(fmt.Sprintf("%s of %s is no field of %s", d.Name, declared, api))
		}
		f := fieldOf(d.Type, a.Type)
		if f == nil {
			panic(fmt.Sprintf("%s of %s is a %s, and a %s in %s", d.Name, declared, d.Type, a.Type, api))
		}
		f.index, f.api, f.unique = i, a.Index[0], d.Tag.Get("decode") == "unique"
		out.all[i] = *f
		for len(out.byNumber) <= number {
			out.byNumber = append(out.byNumber, nil)
		}
		out.byNumber[number] = &out.all[i]
	}
	return out
}

// wireNumber is the number that a field of the API has on the wire, 0 if none: its Go type
// says `protobuf:"bytes,24,opt,name=priorityClassName"`.
func wireNumber(f reflect.StructField) int {
	_, rest, _ := strings.Cut(f.Tag.Get("protobuf"), ",")
	number, _, _ := strings.Cut(rest, ",")
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return n
}

// fieldOf is how a declared type is read of the API's, nil if it cannot be.
func fieldOf(declared, api reflect.Type) *field {
	if declared.Kind() != api.Kind() {
		return nil
	}
	f := &field{}
	switch declared.Kind() {
	case reflect.String:
		f.form = formText
	case reflect.Bool:
		f.form = formBool
	case reflect.Int64, reflect.Int32:
		f.form = formInt
	case reflect.Struct:
		if api == reflect.TypeFor[metav1.Time]() {
			if f.form = formTime; declared != api {
				return nil
			}
			break
		}
		f.form, f.of = formMessage, layoutOf(declared, api)
	case reflect.Pointer, reflect.Slice:
		f.form = formPointer
		if declared.Kind() == reflect.Slice {
			f.form = formList
		}
		if f.elem = fieldOf(declared.Elem(), api.Elem()); f.elem == nil {
			return nil
		}
	case reflect.Map:
		if declared == reflect.TypeFor[amounts]() {
			f.form = formAmounts
			if api != reflect.TypeFor[corev1.ResourceList]() {
				return nil
			}
			break
		}
		all, some := reflect.TypeFor[map[string]string](), reflect.TypeFor[annotations]()
		if f.form = formMap; api != all || declared != all && declared != some {
			return nil
		}
	default:
		return nil
	}
	return f
}

// clear empties what may have been read before.
func (l *layout) clear(v reflect.Value) {
	for i := range l.all {
		f := &l.all[i]
		switch v := v.Field(f.index); f.form {
		case formMessage:
			f.of.clear(v)
		case formList:
			v.SetLen(0)
		default:
			v.SetZero()
		}
	}
}

func (l *layout) decode(b []byte, v reflect.Value, w Words) error {
	m := message{rest: b}
	for m.next() {
		if int(m.number) >= len(l.byNumber) {
			continue
		}
		if f := l.byNumber[m.number]; f != nil {
			m.noting(f.decode(&m, v.Field(f.index), w))
		}
	}
	return m.err
}

// decode reads what m has come to.
func (f *field) decode(m *message, v reflect.Value, w Words) error {
	switch f.form {
	case formText:
		if f.unique {
			v.SetString(string(m.value))
		} else {
			v.SetString(w.of(m.value))
		}
	case formBool:
		v.SetBool(m.varint != 0)
	case formInt:
		v.SetInt(int64(m.varint))
	case formTime:
		return v.Addr().Interface().(*metav1.Time).Unmarshal(m.value)
	case formMessage:
		return f.of.decode(m.value, v, w)
	case formPointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return f.elem.decode(m, v.Elem(), w)
	case formList:
		n := v.Len()
		v.Grow(1)
		v.SetLen(n + 1)
		last := v.Index(n)
		last.SetZero()
		return f.elem.decode(m, last, w)
	case formMap:
		return decodeEntry(m.value, v, w)
	case formAmounts:
		return decodeAmount(m.value, v.Addr().Interface().(*amounts), w)
	}
	return nil
}

// decodeAmount adds a quantity to amounts, if it is of a resource that counts: a message whose
// first field is its text.
func decodeAmount(b []byte, to *amounts, w Words) error {
	key, value, err := readPair(b)
	if err != nil || !to.reads(string(key)) {
		return err
	}
	text := ""
	m := message{rest: value}
	for m.next() {
		if m.number == 1 {
			text = string(m.value)
		}
	}
	if m.err != nil {
		return m.err
	}
	q, err := quantity.ParseQuantity(text)
	if err != nil {
		return errWire
	}
	to.set(w.of(key), q)
	return nil
}

// decodeEntry adds an entry to a map.
func decodeEntry(b []byte, v reflect.Value, w Words) error {
	key, value, err := readPair(b)
	if err != nil {
		return err
	}
	switch to := v.Addr().Interface().(type) {
	case *annotations:
		if name := w.of(key); to.reads(name) {
			if *to == nil {
				*to = annotations{}
			}
			(*to)[name] = string(value)
		}
	case *map[string]string:
		if *to == nil {
			*to = map[string]string{}
		}
		(*to)[w.of(key)] = w.of(value)
	}
	return nil
}

// readPair reads an entry of a map of texts.
func readPair(b []byte) (key, value []byte, err error) {
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 1:
			key = m.value
		case 2:
			value = m.value
		}
	}
	return key, value, m.err
}

func (l *layout) pick(to, from reflect.Value) {
	for i := range l.all {
		f := &l.all[i]
		f.pick(to.Field(f.index), from.Field(f.api))
	}
}

// pick reads a field that is decoded already.
func (f *field) pick(to, from reflect.Value) {
	if to.Type() == from.Type() {
		to.Set(from)
		return
	}
	switch f.form {
	case formMessage:
		f.of.pick(to, from)
	case formPointer:
		if !from.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
			f.elem.pick(to.Elem(), from.Elem())
		}
	case formList:
		if from.Len() > 0 {
			to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		}
		for i := range from.Len() {
			f.elem.pick(to.Index(i), from.Index(i))
		}
	case formMap:
		some := to.Addr().Interface().(*annotations)
		*some = those(from.Interface().(map[string]string), some.reads)
	case formAmounts:
		for name, q := range from.Interface().(corev1.ResourceList) {
			if some := to.Addr().Interface().(*amounts); some.reads(string(name)) {
				some.set(string(name), q)
			}
		}
	default:
		to.Set(from.Convert(to.Type()))
	}
}

// Words are the texts of a page, one copy of each that comes again and again:
// namespaces, nodes, the names of conditions and labels.
type Words map[string]string

func (w Words) of(b []byte) string {
	if known, ok := w[string(b)]; ok {
		return known
	}
	s := string(b)
	w[s] = s
	return s
}
