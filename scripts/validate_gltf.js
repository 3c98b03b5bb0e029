// Runs Khronos' glTF validator on one file and prints its report: node validate_gltf.js MODULES FILE
"use strict";

const fs = require("fs");
const path = require("path");

const [modules, file] = process.argv.slice(2);
if (!modules || !file) {
    console.error("usage: node validate_gltf.js NODE_MODULES FILE.glb");
    process.exit(2);
}
const validator = require(path.join(modules, "gltf-validator"));
const folder = path.dirname(file);

// The validator asks for buffers and images that the file names; they are relative to it.
const readBeside = (uri) =>
    fs.promises.readFile(path.join(folder, decodeURIComponent(uri))).then((data) => new Uint8Array(data));

validator
    .validateBytes(new Uint8Array(fs.readFileSync(file)), {
        uri: path.basename(file),
        externalResourceFunction: readBeside,
    })
    .then((report) => {
        console.log(JSON.stringify(report, null, 2));
        // Not process.exit(): it would cut off a report that does not fit into the pipe.
        process.exitCode = report.issues.numErrors === 0 ? 0 : 1;
    })
    .catch((reason) => {
        console.error(`${file}: ${reason}`);
        process.exit(2);
    });
