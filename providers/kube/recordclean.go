package kube

import (
	"reflect"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// cleanRun cleans all strings of a run that was read: whoever may write ConfigMaps
// may have written anything. What Drainboard itself wrote passes unchanged, since it
// was clean before.
func cleanRun(r *engine.Run) { cleanValue(reflect.ValueOf(r).Elem()) }

func cleanValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); v.CanSet() {
			if clean := world.Clean(s); clean != s {
				v.SetString(clean)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			cleanValue(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				cleanValue(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			cleanValue(v.Index(i))
		}
	case reflect.Map:
		cleanMap(v)
	}
}

// cleanMap cleans keys and values, which cannot be changed where they are.
func cleanMap(m reflect.Value) {
	if m.IsNil() || m.Len() == 0 {
		return
	}
	out := reflect.MakeMapWithSize(m.Type(), m.Len())
	for entries := m.MapRange(); entries.Next(); {
		key, value := reflect.New(m.Type().Key()).Elem(), reflect.New(m.Type().Elem()).Elem()
		key.Set(entries.Key())
		value.Set(entries.Value())
		cleanValue(key)
		cleanValue(value)
		out.SetMapIndex(key, value)
	}
	m.Set(out)
}
