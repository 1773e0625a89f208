package world

import "reflect"

// rewriter is a map of another kind than Go's, which is made again of clean entries.
type rewriter interface {
	Rewrite(edit func(key *string, value any))
}

// CleanAll cleans all strings of what p points to, those of exported fields: for what
// was read from where others may have written anything. What was written clean passes
// unchanged.
func CleanAll(p any) { cleanValue(reflect.ValueOf(p).Elem()) }

func cleanValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); v.CanSet() {
			if clean := Clean(s); clean != s {
				v.SetString(clean)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			cleanValue(v.Elem())
		}
	case reflect.Struct:
		if m, is := v.Addr().Interface().(rewriter); is {
			m.Rewrite(func(key *string, value any) {
				*key = Clean(*key)
				CleanAll(value)
			})
			return
		}
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
		cleanMapValue(v)
	}
}

// cleanMapValue cleans keys and values, which cannot be changed where they are.
func cleanMapValue(m reflect.Value) {
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
