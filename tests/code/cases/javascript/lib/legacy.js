'use strict';

exports.start = function () { return exports; };

var stop = (exports.stop = function () { log('stopped'); }); // -> log

function log(text) {}
