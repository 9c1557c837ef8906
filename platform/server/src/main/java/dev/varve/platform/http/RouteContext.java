package dev.varve.platform.http;

import dev.varve.platform.http.json.UnknownFieldPolicy;
import dev.varve.platform.intake.RequestIngress;

/**
 * What routes work with.
 *
 * @param cycle what all have in common
 * @param offer the model
 * @param intake where bodies are worked on
 * @param policy what becomes of unknown fields
 */
record RouteContext(
        RequestLifecycle cycle,
        OfferedModels offer,
        RequestIngress intake,
        UnknownFieldPolicy policy) {}
