package dev.varve.platform.http;

import dev.varve.platform.http.json.UnknownFieldPolicy;
import dev.varve.platform.intake.RequestIngress;

/**
 * Objects that routes share.
 *
 * @param lifecycle the steps that all routes share
 * @param offeredModels the served models
 * @param ingress runs the processing of bodies
 * @param policy treatment of unknown fields
 */
record RouteContext(
        RequestLifecycle lifecycle,
        OfferedModels offeredModels,
        RequestIngress ingress,
        UnknownFieldPolicy policy) {}
