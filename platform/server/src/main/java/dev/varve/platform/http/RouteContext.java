package dev.varve.platform.http;

import dev.varve.platform.http.json.UnknownFieldPolicy;
import dev.varve.platform.intake.RequestIngress;

/**
 * Objects that routes share.
 *
 * @param cycle the steps that all routes share
 * @param offer the served models
 * @param intake runs the processing of bodies
 * @param policy treatment of unknown fields
 */
record RouteContext(
        RequestLifecycle cycle,
        OfferedModels offer,
        RequestIngress intake,
        UnknownFieldPolicy policy) {}
