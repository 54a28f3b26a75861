// Package top shows sessions in a terminal, like the program top shows processes.
//
// A view computes the lines of the screen from data and a size, without a terminal. Run
// draws them and handles keys; Print writes them once as text.
package top
