/** Tests of all families together: against libllama, cut in every place, and through the engine. */
package dev.varve.conformance;
