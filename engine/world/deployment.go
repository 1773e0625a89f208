package world

// Deployment is what is known of the Deployment behind a pod when its number of replicas may be changed for a while.
type Deployment struct {
	Name, UID string
	Replicas  int
	// Recreate: its strategy stops the old pods before it starts new ones.
	Recreate bool
	// Holder is who else decides on its replicas ("HorizontalPodAutoscaler web", "Flux"), "" where nothing shows one.
	Holder string
}

// Clean is the Deployment with what others have worded clean.
func (d Deployment) Clean() *Deployment {
	d.Name, d.UID, d.Holder = Clean(d.Name), Clean(d.UID), Clean(d.Holder)
	return &d
}
