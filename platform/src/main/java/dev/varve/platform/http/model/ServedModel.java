package dev.varve.platform.http.model;

import dev.varve.platform.engine.Engine;

/**
 * The model that a server offers.
 *
 * @param description what clients are told of it
 * @param engine generates tokens; its status has the context that is offered
 * @param language how conversations become tokens, and tokens answers
 */
public record ServedModel(ModelDescription description, Engine engine, ModelLanguage language) {}
