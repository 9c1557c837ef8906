/**
 * JSON of requests and responses: limits for reading, typed {@link
 * dev.varve.platform.http.json.RequestFields}, and errors in OpenAI's form, {@link
 * dev.varve.platform.http.json.ApiException}.
 */
package dev.varve.platform.http.json;
