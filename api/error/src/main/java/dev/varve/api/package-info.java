/** The exception that Varve reports to users, and its kinds. */
package dev.varve.api;
