package main

func (*surroundings) look(func(string) string) {}
