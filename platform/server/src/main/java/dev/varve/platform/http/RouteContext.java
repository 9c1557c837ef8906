package dev.varve.platform.http;

import dev.varve.platform.http.json.FieldPolicy;
import dev.varve.platform.intake.Intake;

/**
 * What routes work with.
 *
 * @param cycle what all have in common
 * @param offer the model
 * @param intake where bodies are worked on
 * @param policy what becomes of unknown fields
 */
record RouteContext(RequestCycle cycle, Offer offer, Intake intake, FieldPolicy policy) {}
