/** Types for all kinds of plugins: the root exception, and the loader of their libraries. */
package dev.varve.api;
