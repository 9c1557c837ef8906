/**
 * JSON of requests and answers: limits for reading, {@link
 * dev.varve.platform.http.json.RequestFields} with types, and errors in OpenAI's form, {@link
 * dev.varve.platform.http.json.ApiException}.
 */
package dev.varve.platform.http.json;
