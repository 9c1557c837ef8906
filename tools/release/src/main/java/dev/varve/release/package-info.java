/**
 * Makes and checks what belongs to a release: the bill of materials, licences, known
 * vulnerabilities.
 */
package dev.varve.release;
