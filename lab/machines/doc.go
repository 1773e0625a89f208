// Package machines turns machines that boot into Nodes of the lab. The cloud tells a Fleet of its instances
// (cloud.Machines): it makes a Node of each as its kubelet would register it, with labels
// and taints from user data, kops's tags and EKS, and removes it with its pods after the end of the
// instance. What comes of a Node once it is there is KWOK's (package kwok).
//
// Machines that are not the cloud's register their Nodes here too (Register, Remove): those of a
// Shoot do. Images say what boots from an AMI, offers what an instance type has for pods.
package machines
