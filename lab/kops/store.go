package kops

import (
	"bytes"
	"slices"
	"text/template"
)

// Specs are the objects of the state store of a cluster, by key: the cluster's as
// CLUSTER/config, the instance groups' as CLUSTER/instancegroup/NAME (kops:
// pkg/client/simple/vfsclientset), in the version that it writes, v1alpha2. They have a version of
// Kubernetes, and the image of groups that are up to date and of those that are not.
func (o Options) Specs(kubernetes, current, next string) (map[string][]byte, error) {
	objects := map[string][]byte{}
	put := func(key string, spec *template.Template, data any) error {
		var b bytes.Buffer
		err := spec.Execute(&b, data)
		objects[o.Name+"/"+key] = b.Bytes()
		return err
	}
	var subnets []string
	for _, g := range o.Groups {
		subnets = append(subnets, g.Zones...)
	}
	slices.Sort(subnets)
	err := put("config", clusterSpec, map[string]any{"Options": o, "Subnets": slices.Compact(subnets), "Version": kubernetes})
	if err != nil {
		return nil, err
	}
	for _, g := range o.Groups {
		image := next
		if g.UpToDate {
			image = current
		}
		err := put("instancegroup/"+g.Name, groupSpec, map[string]any{"Cluster": o.Name, "Group": g, "Role": roles[g.Role].spec, "Image": image})
		if err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// rollingSpec is rollingUpdate in a spec, or nothing. kops writes numbers as such and
// percentages as strings.
const rollingSpec = `
{{- define "rolling" }}
{{- if or .MaxSurge .MaxUnavailable .KeepOld }}
  rollingUpdate:
    {{- if .KeepOld }}
    drainAndTerminate: false
    {{- end }}
    {{- with .MaxSurge }}
    maxSurge: {{ . }}
    {{- end }}
    {{- with .MaxUnavailable }}
    maxUnavailable: {{ . }}
    {{- end }}
{{- end }}
{{- end }}`

var clusterSpec = template.Must(template.New("cluster").Parse(rollingSpec + `apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata:
  creationTimestamp: "2026-01-01T00:00:00Z"
  name: {{ .Options.Name }}
spec:
  api:
    loadBalancer:
      class: Network
      type: Public
  authorization:
    rbac: {}
  channel: stable
  cloudProvider: aws
  configBase: s3://{{ .Options.Bucket }}/{{ .Options.Name }}
  etcdClusters:
  - cpuRequest: 200m
    etcdMembers:
    {{- range .Options.Groups }}{{ if eq .Role "control-plane" }}
    - instanceGroup: {{ .Name }}
      name: {{ .Name }}
    {{- end }}{{ end }}
    name: main
  iam:
    allowContainerRegistry: true
    legacy: false
  kubernetesApiAccess:
  - 0.0.0.0/0
  kubernetesVersion: {{ .Version }}
  networkCIDR: 192.168.0.0/16
  networking:
    cilium:
      enableNodePort: true
  nonMasqueradeCIDR: 100.64.0.0/10
{{- template "rolling" .Options.Rolling }}
  sshAccess:
  - 0.0.0.0/0
  subnets:
  {{- range .Subnets }}
  - name: {{ . }}
    type: Private
    zone: {{ . }}
  {{- end }}
  topology:
    dns:
      type: None
`))

var groupSpec = template.Must(template.New("group").Parse(rollingSpec + `apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata:
  creationTimestamp: "2026-01-01T00:00:00Z"
  labels:
    kops.k8s.io/cluster: {{ .Cluster }}
  name: {{ .Group.Name }}
spec:
  image: {{ .Image }}
  instanceMetadata:
    httpPutResponseHopLimit: 1
    httpTokens: required
  machineType: m5.large
  maxSize: {{ .Group.Max }}
  minSize: {{ .Group.Min }}
  {{- with .Group.Labels }}
  nodeLabels:
    {{- range $key, $value := . }}
    {{ $key }}: {{ printf "%q" $value }}
    {{- end }}
  {{- end }}
  role: {{ .Role }}
{{- template "rolling" .Group.Rolling }}
  subnets:
  {{- range .Group.Zones }}
  - {{ . }}
  {{- end }}
  {{- with .Group.Taints }}
  taints:
  {{- range . }}
  - {{ . }}
  {{- end }}
  {{- end }}
  {{- with .Group.Warm }}
  warmPool:
    {{- with .MaxPrepared }}
    maxSize: {{ . }}
    {{- end }}
    minSize: {{ .MinSize }}
  {{- end }}
`))
